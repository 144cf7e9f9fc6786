//! Pages of other origins (Fetch standard, CORS protocol).
//!
//! Answers are open to every origin, errors too, else a page could not show the message. Nothing here depends on
//! cookies, so no credentials are allowed, and the operator's resources are not open at all.

use super::resources::Resource;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Lets any origin read a response and its own headers.
pub fn allow(headers: &mut HeaderMap) {
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        HeaderValue::from_static("*"),
    );
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("x-request-id, retry-after"),
    );
}

/// The answer to OPTIONS, a preflight or not; it never needs credentials.
pub fn options(resource: Resource, asked: &HeaderMap) -> Response {
    let mut response = (StatusCode::NO_CONTENT, Body::empty()).into_response();
    let methods = HeaderValue::from_static(resource.methods());
    let headers = response.headers_mut();
    headers.insert(header::ALLOW, methods.clone());
    let is_preflight = asked.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if resource.is_cross_origin() && is_preflight {
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        let wanted = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
        let usual = HeaderValue::from_static("accept, authorization, content-type");
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            wanted.unwrap_or(usual),
        );
        headers.insert(
            header::ACCESS_CONTROL_MAX_AGE,
            HeaderValue::from_static("86400"),
        );
        let vary = HeaderValue::from_static("access-control-request-headers");
        headers.insert(header::VARY, vary);
    }
    response
}
