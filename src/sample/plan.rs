//! How many records of each class a sample has, and the facts that several records must agree on.
//!
//! The shape stays the same at every size: all classes grow with the number of articles, categories up to the 24 fields.
//! Ratings have no number of their own: they fill up what is left, so that the wanted number of triples is met exactly.

use super::calendar::Day;
use super::draw::Draw;
use super::record::{Class, Record};
use super::words::FIELDS;

/// About so many triples belong to an article: its own, and those of the records that grow with it, ratings included.
const TRIPLES_PER_ARTICLE: u64 = 66;

/// About so many triples come from the smallest numbers of records, whatever the size.
const TRIPLES_AT_LEAST: u64 = 250;

/// The numbers of records, and the seed.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// What the random choices start from.
    pub seed: u64,
    /// How many articles there are; the other fields likewise.
    pub articles: u64,
    /// Issues of journals.
    pub issues: u64,
    /// Journals.
    pub journals: u64,
    /// Authors.
    pub people: u64,
    /// Institutions.
    pub organizations: u64,
    /// Subject headings.
    pub subjects: u64,
    /// Categories.
    pub categories: u64,
    /// Accounts.
    pub users: u64,
    /// Comments.
    pub comments: u64,
}

impl Plan {
    /// The numbers for a sample of so many triples.
    pub fn new(triples: u64, seed: u64) -> Self {
        let articles = (triples.saturating_sub(TRIPLES_AT_LEAST) / TRIPLES_PER_ARTICLE).max(2);
        Self {
            seed,
            articles,
            issues: articles / 9 + 1,
            journals: articles / 150 + 2,
            people: articles * 3 / 5 + 2,
            organizations: articles / 30 + 2,
            subjects: articles / 30 + 8,
            categories: (articles / 20 + 3).min(FIELDS.len() as u64),
            users: articles / 3 + 2,
            comments: articles * 2,
        }
    }

    /// The random choices of a record.
    pub fn draw(&self, class: Class, number: u64) -> Draw {
        Draw::for_record(self.seed, Record::new(class, number))
    }

    /// The issue in which an article appears: articles are numbered in the order of publication.
    pub fn issue_of_article(&self, article: u64) -> u64 {
        1 + (article - 1) * self.issues / self.articles
    }

    /// The day on which an issue appears.
    pub fn day_of_issue(&self, issue: u64) -> Day {
        Day::at(issue, self.issues)
    }

    /// The day on which a comment was written; comments came when a third of the years had passed.
    pub fn day_of_comment(&self, comment: u64) -> Day {
        Day::at(self.comments + 2 * comment, 3 * self.comments)
    }

    /// How many articles were published by then.
    pub fn articles_before_comment(&self, comment: u64) -> u64 {
        (self.articles * (self.comments + 2 * comment) / (3 * self.comments)).max(1)
    }

    /// The broader subject. Its number is always smaller, so this is a tree below subject 1; here and there it runs deep.
    pub fn broader_subject(subject: u64) -> Option<u64> {
        match subject {
            1 => None,
            _ if subject.is_multiple_of(7) => Some(subject - 1),
            _ => Some((subject - 1) * 2 / 5 + 1),
        }
    }
}

/// Up to `count` different numbers as `choose` gives them; fewer if it keeps giving the same.
pub fn distinct(draw: &mut Draw, count: u64, mut choose: impl FnMut(&mut Draw) -> u64) -> Vec<u64> {
    let mut chosen = Vec::with_capacity(count as usize);
    for _ in 0..2 * count {
        let number = choose(draw);
        if !chosen.contains(&number) {
            chosen.push(number);
        }
        if chosen.len() as u64 == count {
            break;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_form_a_tree() {
        for triples in [300, 5_000, 1_400_000] {
            let plan = Plan::new(triples, 1);
            let broader = (1..=plan.subjects)
                .map(Plan::broader_subject)
                .collect::<Vec<_>>();
            assert!(
                broader
                    .iter()
                    .zip(1..)
                    .all(|(broader, subject)| broader.is_none_or(|b| b < subject && b > 0))
            );
            assert_eq!(broader.iter().filter(|b| b.is_none()).count(), 1);
        }
    }

    #[test]
    fn articles_fill_all_issues() {
        let plan = Plan::new(50_000, 1);
        assert_eq!(plan.issue_of_article(1), 1);
        assert_eq!(plan.issue_of_article(plan.articles), plan.issues);
    }
}
