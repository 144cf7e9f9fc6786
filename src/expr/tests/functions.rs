//! Functions, one table per family.

use super::{check, check_with};

#[test]
fn functions_on_terms() {
    for (expression, expected) in [
        ("STR(:a)", "\"http://e/a\""),
        ("STR(\"01\"^^xsd:integer)", "\"01\""),
        ("STR(\"x\"@en)", "\"x\""),
        ("STR(1 + 1)", "\"2\""),
        ("STR(<<( :a :b :c )>>)", "error"),
        ("LANG(\"x\"@en)", "\"en\""),
        ("LANG(\"x\")", "\"\""),
        ("LANG(1)", "\"\""),
        ("LANG(:a)", "error"),
        ("LANG(\"x\"@en--ltr)", "\"en\""),
        ("LANGDIR(\"x\"@en--ltr)", "\"ltr\""),
        ("LANGDIR(\"x\"@en)", "\"\""),
        ("LANGDIR(:a)", "error"),
        ("hasLANG(\"x\"@en)", "true"),
        ("hasLANG(:a)", "false"),
        ("hasLANGDIR(\"x\"@en--rtl)", "true"),
        ("hasLANGDIR(\"x\"@en)", "false"),
        ("DATATYPE(1)", "xsd:integer"),
        ("DATATYPE(7/2)", "xsd:decimal"),
        ("DATATYPE(\"1\"^^xsd:int)", "xsd:int"),
        ("DATATYPE(\"x\")", "xsd:string"),
        (
            "DATATYPE(\"x\"@en)",
            "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>",
        ),
        ("DATATYPE(:a)", "error"),
        ("isIRI(:a)", "true"),
        ("isIRI(\"a\")", "false"),
        ("isBLANK(BNODE())", "true"),
        ("isLITERAL(1)", "true"),
        ("isLITERAL(:a)", "false"),
        ("isNUMERIC(\"12\"^^xsd:nonNegativeInteger)", "true"),
        ("isNUMERIC(\"1200\"^^xsd:byte)", "false"),
        ("isNUMERIC(\"12\")", "false"),
        ("IRI(\"x\")", ":base/x"),
        ("IRI(:a)", ":a"),
        ("IRI(1)", "error"),
        ("IRI(\"http://[\")", "error"),
        ("STRDT(\"01\", xsd:integer)", "01"),
        ("STRDT(\"x\", xsd:string)", "\"x\""),
        ("STRDT(\"x\"@en, xsd:string)", "error"),
        ("STRDT(\"iiii\", :roman)", "\"iiii\"^^:roman"),
        ("STRLANG(\"chat\", \"fr\")", "\"chat\"@fr"),
        ("STRLANG(\"abc\", \"\")", "error"),
        ("STRLANG(123, \"en\")", "error"),
        ("STRLANGDIR(\"abc\", \"en\", \"ltr\")", "\"abc\"@en--ltr"),
        ("STRLANGDIR(\"abc\", \"en\", \"LTR\")", "error"),
        ("STRLEN(STRUUID())", "36"),
        ("STRSTARTS(STR(UUID()), \"urn:uuid:\")", "true"),
        ("SUBJECT(<<( :a :b 01 )>>)", ":a"),
        ("OBJECT(<<( :a :b 01 )>>)", "01"),
        ("PREDICATE(:a)", "error"),
        ("isTRIPLE(TRIPLE(:a, :b, 1))", "true"),
        ("TRIPLE(1, :b, 1)", "error"),
        ("TRIPLE(:a, \"b\", 1)", "error"),
        (":unknown(1)", "error"),
    ] {
        check(expression, expected);
    }
    for (expression, value, expected) in [
        ("STR(?x)", "\"01\"^^xsd:integer", "\"01\""),
        ("STR(?x)", ":a", "\"http://e/a\""),
        ("STR(?x)", "_:b", "error"),
        ("LANG(?x)", "\"x\"@en", "\"en\""),
        ("DATATYPE(?x)", "\"z\"^^:dt", ":dt"),
        ("DATATYPE(?x)", "1.50", "xsd:decimal"),
        ("isIRI(?x)", ":a", "true"),
        ("isBLANK(?x)", "_:b", "true"),
        ("isLITERAL(?x)", "\"z\"^^:dt", "true"),
        ("isNUMERIC(?x)", "\"1\"^^xsd:int", "true"),
        ("isNUMERIC(?x)", "\"z\"^^xsd:int", "false"),
        ("hasLANG(?x)", "\"x\"@en", "true"),
        ("STRDT(?x, xsd:integer)", "\"007\"", "007"),
        ("SUBJECT(?x)", "<<( :a :b :c )>>", ":a"),
    ] {
        check_with(expression, &[("x", value)], expected);
    }
}

#[test]
fn functions_on_strings() {
    for (expression, expected) in [
        ("STRLEN(\"a🚀b\")", "3"),
        ("STRLEN(1)", "error"),
        ("SUBSTR(\"a🚀b\", 2, 1)", "\"🚀\""),
        ("SUBSTR(\"foobar\"@en, 4)", "\"bar\"@en"),
        ("SUBSTR(\"hello\", 0, 3)", "\"he\""),
        ("SUBSTR(\"hello\", -1, 4)", "\"he\""),
        ("UCASE(\"straße\")", "\"STRASSE\""),
        ("LCASE(\"BAR\"@en--ltr)", "\"bar\"@en--ltr"),
        ("STRSTARTS(\"foobar\"@en, \"foo\")", "true"),
        ("STRSTARTS(\"foobar\", \"foo\"@en)", "error"),
        ("STRENDS(\"foobar\"@en, \"bar\"@en)", "true"),
        ("CONTAINS(\"foobar\", \"oba\")", "true"),
        ("CONTAINS(\"foobar\"@fr, \"b\"@ja)", "error"),
        ("CONTAINS(:a, \"a\")", "error"),
        ("STRBEFORE(\"abc\"@en, \"bc\")", "\"a\"@en"),
        ("STRBEFORE(\"abc\"@en, \"z\")", "\"\""),
        ("STRBEFORE(\"abc\"@en, \"\")", "\"\"@en"),
        ("STRAFTER(\"abc\"@en, \"ab\")", "\"c\"@en"),
        ("STRAFTER(\"abc\"@en, \"\"@en)", "\"abc\"@en"),
        ("STRAFTER(\"abc\", \"xyz\")", "\"\""),
        ("CONCAT(\"foo\"@en, \"bar\"@en)", "\"foobar\"@en"),
        ("CONCAT(\"foo\"@en, \"bar\")", "\"foobar\""),
        ("CONCAT()", "\"\""),
        ("CONCAT(\"abc\"@en)", "\"abc\"@en"),
        ("CONCAT(\"a\", 1)", "error"),
        ("LANGMATCHES(\"fr-BE\", \"FR\")", "true"),
        ("LANGMATCHES(\"\", \"*\")", "false"),
        ("ENCODE_FOR_URI(\"é /~\")", "\"%C3%A9%20%2F~\""),
        ("REGEX(\"Alice\"@en, \"^ali\", \"i\")", "true"),
        ("REGEX(\"a\", \"(\")", "error"),
        ("REGEX(1, \"1\")", "error"),
        ("REPLACE(\"abab\", \"B.\", \"Z\", \"i\")", "\"aZb\""),
        ("REPLACE(\"abcd\"@en, \"b(.)\", \"$1$1\")", "\"accd\"@en"),
        ("REPLACE(\"abc\", \"x*\", \"-\")", "error"),
        ("REPLACE(\"a.b\", \".\", \"$1\", \"q\")", "\"a$1b\""),
    ] {
        check(expression, expected);
    }
}

#[test]
fn functions_on_numbers() {
    for (expression, expected) in [
        ("ABS(-1.5)", "1.5"),
        ("ABS(\"x\")", "error"),
        ("CEIL(10.5)", "11"),
        ("CEIL(-10.5)", "-10"),
        ("FLOOR(-10.5)", "-11"),
        ("FLOOR(1.5e0)", "\"1.0E0\"^^xsd:double"),
        ("ROUND(2.5)", "3"),
        ("ROUND(-2.5)", "-2"),
        ("ROUND(2.4999e0)", "\"2.0E0\"^^xsd:double"),
        ("ROUND(7)", "7"),
        ("RAND() < 1", "true"),
    ] {
        check(expression, expected);
    }
}

#[test]
fn functions_on_dates() {
    const MOMENT: &str = "\"2011-01-10T14:45:13.815-05:00\"^^xsd:dateTime";
    for (function, expected) in [
        ("YEAR", "2011"),
        ("MONTH", "1"),
        ("DAY", "10"),
        ("HOURS", "14"),
        ("MINUTES", "45"),
        ("SECONDS", "13.815"),
        ("TIMEZONE", "\"-PT5H\"^^xsd:dayTimeDuration"),
        ("TZ", "\"-05:00\""),
    ] {
        check(&format!("{function}({MOMENT})"), expected);
        check_with(&format!("{function}(?x)"), &[("x", MOMENT)], expected);
    }
    for (expression, expected) in [
        (
            "TIMEZONE(\"2011-01-10T14:45:13.815Z\"^^xsd:dateTime)",
            "\"PT0S\"^^xsd:dayTimeDuration",
        ),
        ("TIMEZONE(\"2011-01-10T14:45:13\"^^xsd:dateTime)", "error"),
        ("TZ(\"2011-01-10T14:45:13Z\"^^xsd:dateTime)", "\"Z\""),
        ("TZ(\"2011-01-10T14:45:13\"^^xsd:dateTime)", "\"\""),
        ("YEAR(\"2011-13-10T14:45:13\"^^xsd:dateTime)", "error"),
        ("YEAR(\"2011\")", "error"),
        ("YEAR(\"2011-02-03\"^^xsd:date)", "2011"),
        ("HOURS(\"2011-02-03\"^^xsd:date)", "error"),
        ("DAY(\"2019-12-31T24:00:00Z\"^^xsd:dateTime)", "1"),
        ("NOW() = NOW()", "true"),
        ("DATATYPE(NOW())", "xsd:dateTime"),
        (
            "ADJUST(\"2020-01-01T10:00:00Z\"^^xsd:dateTime, \"PT2H\"^^xsd:dayTimeDuration)",
            "\"2020-01-01T12:00:00+02:00\"^^xsd:dateTime",
        ),
    ] {
        check(expression, expected);
    }
}

#[test]
fn hash_functions() {
    for (expression, expected) in [
        ("MD5(\"abc\")", "\"900150983cd24fb0d6963f7d28e17f72\""),
        (
            "SHA1(\"abc\")",
            "\"a9993e364706816aba3e25717850c26c9cd0d89d\"",
        ),
        (
            "SHA256(\"abc\")",
            "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"",
        ),
        ("SUBSTR(SHA384(\"abc\"), 1, 8)", "\"cb00753f\""),
        ("SUBSTR(SHA512(\"abc\"), 1, 8)", "\"ddaf35a1\""),
        ("MD5(\"abc\"@en)", "error"),
    ] {
        check(expression, expected);
    }
}

#[test]
fn casts() {
    for (expression, expected) in [
        ("xsd:integer(\"12\")", "12"),
        ("xsd:integer(\" 012 \")", "12"),
        ("xsd:integer(\"1.5\")", "error"),
        ("xsd:integer(-7.875)", "-7"),
        ("xsd:integer(1e3)", "1000"),
        ("xsd:integer(\"NaN\"^^xsd:double)", "error"),
        ("xsd:integer(true)", "1"),
        ("xsd:integer(:a)", "error"),
        ("xsd:integer(\"1\"@en)", "error"),
        ("xsd:decimal(\"+33.3300\")", "33.33"),
        ("xsd:decimal(\"0E1\")", "error"),
        ("xsd:decimal(1.25e0)", "1.25"),
        ("xsd:double(\"-10.2E3\")", "\"-1.02E4\"^^xsd:double"),
        ("xsd:double(1)", "\"1.0E0\"^^xsd:double"),
        ("xsd:float(\"1.25\")", "\"1.25E0\"^^xsd:float"),
        ("xsd:boolean(\"1\")", "true"),
        ("xsd:boolean(\"yes\")", "error"),
        ("xsd:boolean(0.0)", "false"),
        ("xsd:string(:a)", "\"http://e/a\""),
        ("xsd:string(0E1)", "\"0\""),
        ("xsd:string(\"0\"^^xsd:boolean)", "\"false\""),
        ("xsd:string(1.0)", "\"1\""),
        ("xsd:string(1E0)", "\"1\""),
        (
            "xsd:dateTime(\"2002-10-10T17:00:00Z\")",
            "\"2002-10-10T17:00:00Z\"^^xsd:dateTime",
        ),
        (
            "xsd:dateTime(\"2002-10-10\"^^xsd:date)",
            "\"2002-10-10T00:00:00\"^^xsd:dateTime",
        ),
        ("xsd:dateTime(\"in press\")", "error"),
        (
            "xsd:date(\"2002-10-10T17:00:00Z\"^^xsd:dateTime)",
            "\"2002-10-10Z\"^^xsd:date",
        ),
        (
            "xsd:time(\"2002-10-10T17:00:00Z\"^^xsd:dateTime)",
            "\"17:00:00Z\"^^xsd:time",
        ),
        ("xsd:gYear(\"2002-10-10\"^^xsd:date)", "\"2002\"^^xsd:gYear"),
        ("xsd:int(\"5\")", "\"5\"^^xsd:int"),
        ("xsd:byte(300)", "error"),
        (
            "xsd:dayTimeDuration(\"PT36H\")",
            "\"P1DT12H\"^^xsd:dayTimeDuration",
        ),
        ("xsd:yearMonthDuration(\"P1Y2M3D\"^^xsd:duration)", "error"),
    ] {
        check(expression, expected);
    }
}
