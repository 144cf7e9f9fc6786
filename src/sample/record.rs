//! What the sample is made of: records, each of a class and numbered from 1, each with an IRI.

/// The kinds of things that the platform knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A branch of the platform: articles, journals and users are filed under them.
    Category,
    /// A subject heading in a broader/narrower tree.
    Subject,
    /// A university, institute, publisher or funder.
    Organization,
    /// A journal.
    Journal,
    /// An issue of a journal.
    Issue,
    /// An author.
    Person,
    /// An account on the platform.
    User,
    /// An article.
    Article,
    /// A comment on an article or on another comment.
    Comment,
    /// A reader's rating of an article.
    Rating,
}

impl Class {
    /// The part of the IRI that stands for the class.
    pub fn path(self) -> &'static str {
        match self {
            Self::Category => "category",
            Self::Subject => "subject",
            Self::Organization => "org",
            Self::Journal => "journal",
            Self::Issue => "issue",
            Self::Person => "person",
            Self::User => "user",
            Self::Article => "article",
            Self::Comment => "comment",
            Self::Rating => "rating",
        }
    }
}

/// One thing of the sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// What it is.
    pub class: Class,
    /// Which one, from 1.
    pub number: u64,
}

impl Record {
    /// The record of `class` with `number`, which counts from 1.
    pub fn new(class: Class, number: u64) -> Self {
        Self { class, number }
    }
}
