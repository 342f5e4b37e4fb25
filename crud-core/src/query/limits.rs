//! [`QueryLimits`]: what a query may cost.

use super::pattern::Pattern;
use crate::model::descriptor::{ColumnDescriptor, Rule};
use crate::model::problem::{Code, Problem};
use crate::model::setters::setters;
use crate::model::validation::TEXT_LIMIT;

/// Limits of a query's cost, checked before it reaches the database: 422 `query_too_complex` beyond.
///
/// ```
/// # use crud_runtime::prelude::*;
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.limits(|limits| {
///     limits.query(|query| query.terms(20))
/// });
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryLimits {
    /// Maximum number of filters in a query; 100 by default.
    pub terms: usize,
    /// Maximum number of conditions on other records in a query; 8 by default.
    ///
    /// Each is a subquery, which takes a database about 12 ms among 10,000 records: 64 of them were 0.8 s.
    pub related: usize,
    /// Maximum depth of the conditions of `where`; 5 by default.
    pub where_depth: usize,
    /// Maximum number of paths in `expand`; 8 by default.
    pub expand_paths: usize,
    /// Maximum length of the paths of `expand`; 2 by default.
    pub expand_depth: usize,
    /// Maximum number of expanded records of `has_many` in a page; 2,000 by default.
    pub expand_rows: u64,
    /// Maximum number of characters that patterns compare on one record; 2<sup>26</sup> (67,108,864) by default, which
    /// takes a database up to 0.4 s.
    ///
    /// A pattern is compared at each position of a text in the worst case: the text's greatest length times the longest
    /// part of the pattern behind a `%`.
    pub pattern_cost: u64,
    /// Maximum number of characters in a text that no rule bounds.
    #[doc(hidden)]
    pub text_limit: usize,
}

/// Assumed length of a text whose field lifts the bound (`length(unbounded)`).
const UNBOUNDED_TEXT: usize = 1 << 20;

impl Default for QueryLimits {
    fn default() -> Self {
        Self {
            terms: 100,
            related: 8,
            where_depth: 5,
            expand_paths: 8,
            expand_depth: 2,
            expand_rows: 2_000,
            pattern_cost: 1 << 26,
            text_limit: TEXT_LIMIT,
        }
    }
}

impl QueryLimits {
    setters! {
        /// Sets how many filters a query has at most.
        terms(usize);
        /// Sets how many conditions on other records a query has at most.
        related(usize);
        /// Sets how deep the conditions of `where` nest at most.
        where_depth(usize);
        /// Sets how many paths `expand` has at most.
        expand_paths(usize);
        /// Sets how long the paths of `expand` are at most.
        expand_depth(usize);
        /// Sets how many records of `has_many` a page may have besides its own.
        expand_rows(u64);
        /// Sets how many characters patterns may compare on one record.
        pattern_cost(u64);
    }

    /// Maximum number of characters that a pattern compares on a text of this column.
    #[doc(hidden)]
    pub fn cost(self, column: &ColumnDescriptor, pattern: &Pattern) -> u64 {
        let bounds = column.rules.iter().filter_map(|rule| match rule {
            Rule::MaxLength(most) => Some(*most),
            _ => None,
        });
        let unbounded = if column.has_text_limit() { self.text_limit } else { UNBOUNDED_TEXT };
        // The first part is compared at the beginning alone.
        let longest = pattern.parts().iter().skip(1).map(|part| part.chars().count()).max().unwrap_or(0);
        bounds.min().unwrap_or(unbounded) as u64 * longest as u64
    }

    /// Refuses patterns that compare more characters than the limit.
    ///
    /// # Errors
    /// `query_too_complex`.
    #[doc(hidden)]
    pub fn check_patterns(self, cost: u64) -> Result<(), Problem> {
        if cost <= self.pattern_cost {
            return Ok(());
        }
        let detail = format!(
            "the patterns of the query compare up to {cost} characters of a record, and may compare {}: write shorter \
             ones, or `startswith`",
            self.pattern_cost
        );
        Err(Problem::new(Code::QueryTooComplex, detail))
    }

    /// Refuses more paths of `expand` than the limit.
    ///
    /// # Errors
    /// `query_too_complex`.
    #[doc(hidden)]
    pub fn check_paths(self, paths: usize) -> Result<(), Problem> {
        if paths <= self.expand_paths {
            return Ok(());
        }
        let detail = format!("`expand` must have at most {} paths, found {paths}", self.expand_paths);
        Err(Problem::new(Code::QueryTooComplex, detail))
    }

    /// Refuses a query that exceeds a limit of filters, of conditions on other records, or of their depth.
    ///
    /// # Errors
    /// `query_too_complex`.
    #[doc(hidden)]
    pub fn check(self, terms: usize, related: usize, depth: usize) -> Result<(), Problem> {
        let too_complex = |detail| Err(Problem::new(Code::QueryTooComplex, detail));
        if terms > self.terms {
            return too_complex(format!("the query must have at most {} filters", self.terms));
        }
        if related > self.related {
            let most = self.related;
            return too_complex(format!(
                "the query must have at most {most} conditions on other records: those on one record may be one \
                 condition, such as `{{\"category\": {{\"name\": \"x\", \"open\": true}}}}` in `where`"
            ));
        }
        if depth > self.where_depth {
            let most = self.where_depth;
            return too_complex(format!("conditions must nest at most {most} deep, found {depth}"));
        }
        Ok(())
    }
}
