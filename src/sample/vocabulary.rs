//! The vocabularies of the sample: well-known ones where they have the word, the publisher's own for the rest.
//!
//! Constants only, one module for each vocabulary, each constant the whole IRI.

/// Below this IRI everything that the publisher names itself.
pub const DATA: &str = "http://kaluta.example/";

macro_rules! terms {
    ($(#[$doc:meta])* $module:ident $namespace:literal { $($name:ident = $local:literal),* $(,)? }) => {
        $(#[$doc])*
        pub mod $module {
            $(
                #[doc = concat!("`<", $namespace, $local, ">`")]
                pub const $name: &str = concat!($namespace, $local);
            )*
        }
    };
}

terms! {
    /// The publisher's own words.
    own "http://kaluta.example/vocab#" {
        AFFILIATION = "affiliation", ALTMETRIC = "altmetric", ACCEPTED = "accepted", AMOUNT = "amount", ABOUT = "about",
        CORRESPONDING_AUTHOR = "correspondingAuthor", BY = "by", CATEGORY = "category", CITY = "city", COUNTRY = "country",
        DEPARTMENT = "department", DOWNLOADS = "downloads", EMBARGO_UNTIL = "embargoUntil", ESTABLISHED = "established",
        FEE = "fee", FIRST_AUTHOR = "firstAuthor", FLAGGED = "flagged", FOUNDED = "founded", FUNDER = "funder",
        FUNDING = "funding", GRANT_NUMBER = "grantNumber", H_INDEX = "hIndex", IMPACT_FACTOR = "impactFactor",
        JOINED = "joined", KEYWORD = "keyword", LAST_SEEN = "lastSeen", LIKES = "likes", OPEN_ACCESS = "openAccess",
        ORCID = "orcid", ORGANIZATION = "organization", PAGE_COUNT = "pageCount", PAGES = "pages", RATES = "rates",
        RATING = "Rating", REPUTATION = "reputation", RETRACTED = "retracted", RETRACTION_REASON = "retractionReason",
        REVIEW = "Review", EDITORIAL = "Editorial", LETTER = "Letter", RESEARCH = "ResearchArticle", CATEGORY_CLASS = "Category",
        SCORE = "score", SINCE = "since", STAFF = "staff", STARS = "stars", VIEWS = "views", YEAR = "year",
        SUBJECT_SCHEME = "subjects", PUBLISHED = "Published", IN_PRESS = "InPress", WITHDRAWN = "Withdrawn",
    }
}

terms! {
    /// RDF.
    rdf "http://www.w3.org/1999/02/22-rdf-syntax-ns#" { TYPE = "type" }
}

terms! {
    /// RDF Schema.
    rdfs "http://www.w3.org/2000/01/rdf-schema#" { LABEL = "label", COMMENT = "comment", SEE_ALSO = "seeAlso" }
}

terms! {
    /// OWL.
    owl "http://www.w3.org/2002/07/owl#" { SAME_AS = "sameAs" }
}

terms! {
    /// XML Schema datatypes.
    xsd "http://www.w3.org/2001/XMLSchema#" {
        BOOLEAN = "boolean", DATE = "date", DATE_TIME = "dateTime", DECIMAL = "decimal", DOUBLE = "double", G_YEAR = "gYear",
        INTEGER = "integer",
    }
}

terms! {
    /// DCMI Metadata Terms.
    dcterms "http://purl.org/dc/terms/" {
        ABSTRACT = "abstract", CREATED = "created", CREATOR = "creator", ISSUED = "issued", IS_PART_OF = "isPartOf",
        LANGUAGE = "language", LICENSE = "license", MODIFIED = "modified", PUBLISHER = "publisher", SUBJECT = "subject",
        TITLE = "title",
    }
}

terms! {
    /// Friend of a Friend.
    foaf "http://xmlns.com/foaf/0.1/" {
        FAMILY_NAME = "familyName", GIVEN_NAME = "givenName", HOMEPAGE = "homepage", KNOWS = "knows", MBOX = "mbox",
        NAME = "name", NICK = "nick", ORGANIZATION = "Organization", PERSON = "Person",
    }
}

terms! {
    /// Simple Knowledge Organization System.
    skos "http://www.w3.org/2004/02/skos/core#" {
        ALT_LABEL = "altLabel", BROADER = "broader", CONCEPT = "Concept", DEFINITION = "definition", IN_SCHEME = "inScheme",
        NARROWER = "narrower", NOTATION = "notation", PREF_LABEL = "prefLabel", RELATED = "related",
        TOP_CONCEPT_OF = "topConceptOf",
    }
}

terms! {
    /// The Bibliographic Ontology.
    bibo "http://purl.org/ontology/bibo/" {
        ACADEMIC_ARTICLE = "AcademicArticle", CITES = "cites", DOI = "doi", EISSN = "eissn", ISSN = "issn", ISSUE = "issue",
        ISSUE_CLASS = "Issue", JOURNAL = "Journal", PAGE_END = "pageEnd", PAGE_START = "pageStart", STATUS = "status",
        VOLUME = "volume",
    }
}

terms! {
    /// Semantically-Interlinked Online Communities.
    sioc "http://rdfs.org/sioc/ns#" {
        ACCOUNT_OF = "account_of", CONTENT = "content", FOLLOWS = "follows", HAS_CREATOR = "has_creator", POST = "Post",
        REPLY_OF = "reply_of", USER_ACCOUNT = "UserAccount",
    }
}

terms! {
    /// WGS84 positions.
    geo "http://www.w3.org/2003/01/geo/wgs84_pos#" { LAT = "lat", LONG = "long" }
}
