//! A regular expression of XPath in the words of the `regex` crate (XPath Functions 3.1, section 5.6.1; XML Schema 1.1
//! Datatypes, appendix G).
//!
//! Every construct of XPath is written anew, so that neither language's own ways leak into the other: `\w` knows no
//! underscore, `.` stops at a carriage return, `[a-z-[aeiou]]` subtracts, `\b` and `(?i)` are errors. Back-references and
//! the blocks of Unicode (`\p{IsGreek}`) are errors, too: the crate, which takes linear time, has neither.

use regex::escape;
use std::iter::Peekable;
use std::str::Chars;

/// The general categories of Unicode, by their first letter.
const CATEGORIES: [(char, &str); 7] = [
    ('L', "ultmo"),
    ('M', "nce"),
    ('N', "dlo"),
    ('P', "cdseifo"),
    ('Z', "slp"),
    ('S', "mcko"),
    ('C', "cfon"),
];

/// What can begin the name of an XML element, as the inside of a class.
const NAME_START: &str = r"A-Z_:a-z\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}\x{200C}-\x{200D}\x{2070}-\x{218F}\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}";

/// What else such a name can have.
const NAME_REST: &str = r"\-.0-9\x{B7}\x{300}-\x{36F}\x{203F}-\x{2040}";

/// Classes within classes that are followed.
const CLASS_DEPTH_MAX: usize = 100;

/// The longest pattern for the crate, in bytes; what is longer would be over the crate's own limits.
const TRANSLATED_BYTES_MAX: usize = 1 << 20;

/// A pattern for the crate, or `None` where it is none of XPath's, or too large.
pub(super) fn translate(pattern: &str, flags: &str) -> Option<String> {
    let mut reader = Reader {
        rest: pattern.chars().peekable(),
        dot: if flags.contains('s') {
            "(?s:.)"
        } else {
            r"[^\n\r]"
        },
        skips_space: flags.contains('x'),
    };
    let mut out = String::with_capacity(pattern.len() * 2);
    while reader.rest.peek().is_some() {
        reader.piece(&mut out)?;
        (out.len() <= TRANSLATED_BYTES_MAX).then_some(())?;
    }
    Some(out)
}

struct Reader<'p> {
    rest: Peekable<Chars<'p>>,
    dot: &'static str,
    skips_space: bool,
}

impl Reader<'_> {
    /// An atom and its quantifier, or one of the brackets and bars between them.
    fn piece(&mut self, out: &mut String) -> Option<()> {
        let c = self.next()?;
        match c {
            '(' => {
                out.push('(');
                if self.is_next('?') {
                    (self.next()? == ':').then(|| out.push_str("?:"))?;
                }
                return Some(());
            }
            '|' => {
                out.push('|');
                return Some(());
            }
            ')' | '^' | '$' => out.push(c),
            '.' => out.push_str(self.dot),
            '[' => out.push_str(&self.class(CLASS_DEPTH_MAX)?),
            '\\' => match self.escaped()? {
                // Case counts in what an escape names, whatever the flags say.
                Escape::Class(class) => out.push_str(&format!("(?-i:[{class}])")),
                Escape::Character(c) => out.push_str(&escape(c.encode_utf8(&mut [0; 4]))),
            },
            '?' | '*' | '+' | '{' | '}' | ']' => return None,
            c => out.push_str(&escape(c.encode_utf8(&mut [0; 4]))),
        }
        self.quantifier(out)
    }

    fn quantifier(&mut self, out: &mut String) -> Option<()> {
        match self.peek() {
            Some(c @ ('?' | '*' | '+')) => out.push(c),
            Some('{') => {
                out.push('{');
                self.next();
                let mut digits = 0;
                while self.peek()? != '}' {
                    let c = self.next()?;
                    digits += usize::from(c.is_ascii_digit());
                    (c.is_ascii_digit() || c == ',' && digits > 0).then(|| out.push(c))?;
                }
                (digits > 0).then(|| out.push('}'))?;
            }
            _ => return Some(()),
        }
        self.next();
        if self.is_next('?') {
            out.push('?');
        }
        // What follows a quantifier is no second one.
        (!matches!(self.peek(), Some('?' | '*' | '+' | '{'))).then_some(())
    }

    /// A class behind its opening bracket, with so many more within each other at most.
    fn class(&mut self, depth: usize) -> Option<String> {
        let negation = if self.rest.next_if_eq(&'^').is_some() {
            "^"
        } else {
            ""
        };
        let mut inside = String::new();
        loop {
            match self.rest.next()? {
                ']' => break,
                '-' if self.rest.peek() == Some(&'[') => {
                    self.rest.next();
                    let taken = self.class(depth.checked_sub(1)?)?;
                    self.rest.next_if_eq(&']')?;
                    (!inside.is_empty()).then_some(())?;
                    return Some(format!("[[{negation}{inside}]--{taken}]"));
                }
                '[' => return None,
                c => self.range(c, &mut inside)?,
            }
            (inside.len() <= TRANSLATED_BYTES_MAX).then_some(())?;
        }
        (!inside.is_empty()).then(|| format!("[{negation}{inside}]"))
    }

    /// A character of a class, a range that begins with it, or an escape.
    fn range(&mut self, first: char, inside: &mut String) -> Option<()> {
        let first = match self.single(first)? {
            Escape::Character(c) => c,
            Escape::Class(class) => {
                inside.push_str(&format!("[{class}]"));
                return Some(());
            }
        };
        inside.push_str(&code(first));
        let mut ahead = self.rest.clone();
        if ahead.next() == Some('-') && !matches!(ahead.next(), Some(']' | '[')) {
            self.rest.next();
            let last = self.rest.next()?;
            let Escape::Character(last) = self.single(last)? else {
                return None;
            };
            inside.push('-');
            inside.push_str(&code(last));
        }
        Some(())
    }

    fn single(&mut self, c: char) -> Option<Escape> {
        match c {
            '\\' => self.escaped(),
            c => Some(Escape::Character(c)),
        }
    }

    /// What stands behind a backslash.
    fn escaped(&mut self) -> Option<Escape> {
        Some(match self.rest.next()? {
            'n' => Escape::Character('\n'),
            'r' => Escape::Character('\r'),
            't' => Escape::Character('\t'),
            c if r"\|.?*+(){}[]^$-".contains(c) => Escape::Character(c),
            's' => Escape::Class(r" \t\n\r".into()),
            'S' => Escape::Class(r"^ \t\n\r".into()),
            'd' => Escape::Class(r"\p{Nd}".into()),
            'D' => Escape::Class(r"\P{Nd}".into()),
            'w' => Escape::Class(r"^\p{P}\p{Z}\p{C}".into()),
            'W' => Escape::Class(r"\p{P}\p{Z}\p{C}".into()),
            'i' => Escape::Class(NAME_START.into()),
            'I' => Escape::Class(format!("^{NAME_START}")),
            'c' => Escape::Class(format!("{NAME_START}{NAME_REST}")),
            'C' => Escape::Class(format!("^{NAME_START}{NAME_REST}")),
            kind @ ('p' | 'P') => Escape::Class(format!("\\{kind}{{{}}}", self.category()?)),
            _ => return None,
        })
    }

    /// A general category in braces.
    fn category(&mut self) -> Option<String> {
        self.rest.next_if_eq(&'{')?;
        let mut name = String::new();
        loop {
            match self.rest.next()? {
                '}' => break,
                c => name.push(c),
            }
        }
        let (_, parts) = CATEGORIES.iter().find(|(c, _)| name.starts_with(*c))?;
        let part = &name[1..];
        let is_known = part.is_empty() || part.len() == 1 && parts.contains(part);
        is_known.then_some(name)
    }

    /// The next character outside classes; white space is none under the flag `x`.
    fn peek(&mut self) -> Option<char> {
        if self.skips_space {
            while self.rest.next_if(|c| " \t\n\r".contains(*c)).is_some() {}
        }
        self.rest.peek().copied()
    }

    fn next(&mut self) -> Option<char> {
        self.peek()?;
        self.rest.next()
    }

    /// Whether this character comes next; then it is passed over.
    fn is_next(&mut self, wanted: char) -> bool {
        self.peek() == Some(wanted) && self.rest.next().is_some()
    }
}

/// What an escape stands for.
enum Escape {
    /// One character.
    Character(char),
    /// A set, as the inside of a class.
    Class(String),
}

/// A character in a class, where punctuation may mean something to the crate.
fn code(c: char) -> String {
    format!("\\x{{{:X}}}", c as u32)
}

#[cfg(test)]
mod tests {
    use super::translate;
    use regex::Regex;

    /// Checks what a pattern matches in whole; `None` is an error.
    #[track_caller]
    fn check(pattern: &str, flags: &str, cases: &[(&str, bool)]) {
        let translated = translate(pattern, flags).unwrap_or_else(|| panic!("{pattern}"));
        let regex = Regex::new(&translated).unwrap_or_else(|e| panic!("{pattern}: {e}"));
        for (text, expected) in cases {
            assert_eq!(regex.is_match(text), *expected, "{pattern} on {text:?}");
        }
    }

    #[test]
    fn patterns_without_end_are_refused() {
        for pattern in [
            "[a-".repeat(1_000_000),
            format!("[{}]", r"\i".repeat(100_000)),
            r"\i".repeat(100_000),
            "a".repeat(2_000_000),
        ] {
            assert_eq!(translate(&pattern, ""), None);
        }
    }

    #[test]
    fn constructs_mean_what_they_mean_in_xpath() {
        check(
            "^a.c$",
            "",
            &[("abc", true), ("a\nc", false), ("a\rc", false)],
        );
        check("^a.c$", "s", &[("a\nc", true), ("a\rc", true)]);
        check(
            r"^\w+$",
            "",
            &[("añ9", true), ("a_b", false), ("a+b", true)],
        );
        check(r"^\W$", "", &[("_", true), ("+", false)]);
        check(r"^\s$", "", &[("\t", true), ("\u{A0}", false)]);
        check(r"^\d+$", "", &[("12", true), ("٣", true), ("½", false)]);
        check(
            r"^\i\c*$",
            "",
            &[("a-1", true), (":a", true), ("1a", false)],
        );
        check("^[a-z-[aeiou]]+$", "", &[("xyz", true), ("xyza", false)]);
        check(
            "^[^a-z-[0-9]]$",
            "",
            &[("A", true), ("7", false), ("b", false)],
        );
        check("^[a&&b~~c]+$", "", &[("a&b~c", true), ("d", false)]);
        check(r"^[\w-]+$", "", &[("a-b", true), ("a b", false)]);
        check("^[a-]$", "", &[("-", true), ("b", false)]);
        check("^[-a]$", "", &[("-", true), ("b", false)]);
        check(r"^[\]\[\\]$", "", &[("]", true), ("[", true), ("\\", true)]);
        check("^[.*]$", "", &[(".", true), ("x", false)]);
        check(r"^\p{Lu}\P{L}$", "", &[("A1", true), ("a1", false)]);
        check("a b#c", "x", &[("ab#c", true)]);
        check("a[ b]c", "x", &[("a c", true), ("ac", false)]);
        check("^a{2,3}?$", "", &[("aa", true), ("a", false)]);
        check("^(?:a|b)*?c$", "", &[("abc", true)]);
        check(r"^\.\-\$\^$", "", &[(".-$^", true)]);
        check("a/b\"~", "", &[("a/b\"~", true)]);
        check("", "", &[("", true)]);
        check("^(|a)$", "", &[("", true), ("a", true)]);
    }

    #[test]
    fn what_xpath_does_not_know_is_an_error() {
        for pattern in [
            r"\bword\b",
            r"(?i)a",
            r"(?=a)",
            r"(?<n>a)",
            r"\x41",
            r"\/",
            r"(a)\1",
            r"\p{Greek}",
            r"\p{IsGreek}",
            r"\p{Lx}",
            r"\p",
            "*a",
            "a**",
            "a+*",
            "(*)",
            "a{,2}",
            "a{x}",
            "a{2",
            "a}",
            "a]",
            "[]",
            "[^]",
            "[a",
            "[a[b]]",
            "[a-[b]",
            r"\",
            r"[\w-\d-[a]",
            "{",
        ] {
            let translated = translate(pattern, "");
            let compiled = translated.and_then(|t| Regex::new(&t).ok());
            assert!(compiled.is_none(), "{pattern}: {compiled:?}");
        }
    }
}
