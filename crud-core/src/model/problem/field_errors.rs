//! [`FieldErrors`]: collects the field errors of a problem, in bounded time and memory.

use super::{Code, Details, FieldError, Problem};
use crate::model::scalar;

/// Collects the field errors of a problem: lists the first [`FieldErrors::LISTED`], and counts the rest, because a
/// request within its limits can have many.
#[derive(Debug)]
pub struct FieldErrors {
    listed: Vec<FieldError>,
    unlisted: usize,
    /// Number of nearest-spelling searches that remain.
    searches: usize,
}

impl Default for FieldErrors {
    fn default() -> Self {
        Self::with_searches(Self::SEARCHES)
    }
}

impl FieldErrors {
    /// Limit of field errors that one answer lists.
    pub const LISTED: usize = 100;

    /// Limit of names in a request that get their nearest spelling: each is compared with every legal name.
    pub const SEARCHES: usize = 3;

    /// Without errors yet, for at most this many nearest-spelling searches.
    pub fn with_searches(searches: usize) -> Self {
        Self { listed: Vec::new(), unlisted: 0, searches }
    }

    /// Number of nearest-spelling searches that remain, for the next item of a batch.
    pub fn searches(&self) -> usize {
        self.searches
    }

    /// Adds a field error.
    pub fn push(&mut self, error: FieldError) {
        self.push_with(|| error);
    }

    /// Adds a field error, which is created only if it is listed.
    pub fn push_with(&mut self, error: impl FnOnce() -> FieldError) {
        if self.listed.len() < Self::LISTED {
            self.listed.push(error());
        } else {
            self.unlisted += 1;
        }
    }

    /// Adds the error of an unknown name. `error` gets the end of the sentence: the legal name that `nearest` finds.
    pub fn push_unknown(&mut self, nearest: impl FnOnce() -> Option<String>, error: impl FnOnce(String) -> FieldError) {
        let remaining = self.searches.checked_sub(1);
        let nearest = remaining.and_then(|_| nearest());
        self.searches = remaining.unwrap_or(0);
        self.push_with(|| error(scalar::did_you_mean(nearest.as_deref())));
    }

    /// Adds the errors of a part, each moved to its place.
    pub fn append(&mut self, part: Self, moved: impl Fn(FieldError) -> FieldError) {
        for error in part.listed {
            self.push(moved(error));
        }
        self.unlisted += part.unlisted;
    }

    /// Whether there is no error.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// The value, unless there are errors.
    pub fn into_result<T>(self, value: T) -> Result<T, Problem> {
        if self.listed.is_empty() { Ok(value) } else { Err(self.into_problem(Code::ValidationFailed)) }
    }

    /// The problem of these field errors; the first one and the number of others make its detail.
    pub(super) fn into_problem(self, code: Code) -> Problem {
        let others = self.listed.len().saturating_sub(1) + self.unlisted;
        let detail = match (self.listed.first(), others) {
            (None, _) => code.title().to_owned(),
            (Some(first), 0) => first.to_string(),
            (Some(first), 1) => format!("{first} (and 1 more error)"),
            (Some(first), _) => format!("{first} (and {others} more errors)"),
        };
        Problem(Box::new(Details { code, detail, errors: self.listed, retry_after: None, source: None }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_errors_are_listed_and_the_others_counted_without_being_made() {
        let (mut errors, mut made) = (FieldErrors::default(), 0);
        for _ in 0..1_000 {
            errors.push_with(|| {
                made += 1;
                FieldError::field("name", "type", "must be a string")
            });
        }
        let problem = errors.into_result(()).unwrap_err();
        assert_eq!((problem.errors().len(), made), (100, 100));
        assert_eq!(problem.detail(), "name: must be a string (and 999 more errors)");
    }

    #[test]
    fn nearest_spellings_are_searched_for_the_first_names() {
        let (mut errors, mut searches) = (FieldErrors::default(), 0);
        for _ in 0..1_000 {
            let nearest = || {
                searches += 1;
                Some("name".to_owned())
            };
            errors.push_unknown(nearest, |hint| FieldError::field("nam", "unknown_field", format!("wrong{hint}")));
        }
        let problem = errors.into_result(()).unwrap_err();
        let hints = problem.errors().iter().filter(|error| error.detail() == "wrong; did you mean `name`?").count();
        assert_eq!((searches, hints), (3, 3));
    }
}
