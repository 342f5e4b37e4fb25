//! [`QueryLimits`]: what a query may cost.

use crate::model::problem::{Code, Problem};

/// What a query may cost, checked before it reaches the database: 422 `query_too_complex` beyond.
///
/// ```
/// use crud_runtime::query::QueryLimits;
/// # use crud_runtime::prelude::*;
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.query_limits(QueryLimits::default().terms(20));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryLimits {
    /// How many filters a query has at most; 100 by default.
    pub terms: usize,
    /// How deep the conditions of `where` nest at most; 5 by default.
    pub where_depth: usize,
    /// How many records `expand` may ask for beside each; 8 by default.
    pub expand_paths: usize,
    /// How long the paths of `expand` are at most; 2 by default.
    pub expand_depth: usize,
    /// How many records of `has_many` a page may have beside its own; 2,000 by default.
    pub expand_rows: u64,
}

impl Default for QueryLimits {
    fn default() -> Self {
        Self { terms: 100, where_depth: 5, expand_paths: 8, expand_depth: 2, expand_rows: 2_000 }
    }
}

impl QueryLimits {
    /// Sets how many filters a query has at most.
    #[must_use]
    pub const fn terms(mut self, terms: usize) -> Self {
        self.terms = terms;
        self
    }

    /// Sets how deep the conditions of `where` nest at most.
    #[must_use]
    pub const fn where_depth(mut self, depth: usize) -> Self {
        self.where_depth = depth;
        self
    }

    /// Sets how many records `expand` may ask for beside each.
    #[must_use]
    pub const fn expand_paths(mut self, paths: usize) -> Self {
        self.expand_paths = paths;
        self
    }

    /// Sets how long the paths of `expand` are at most.
    #[must_use]
    pub const fn expand_depth(mut self, depth: usize) -> Self {
        self.expand_depth = depth;
        self
    }

    /// Sets how many records of `has_many` a page may have beside its own.
    #[must_use]
    pub const fn expand_rows(mut self, rows: u64) -> Self {
        self.expand_rows = rows;
        self
    }

    /// Refuses more paths of `expand`.
    ///
    /// # Errors
    /// `query_too_complex`.
    pub(crate) fn check_paths(self, paths: usize) -> Result<(), Problem> {
        if paths <= self.expand_paths {
            return Ok(());
        }
        let detail = format!("`expand` must have at most {} paths, found {paths}", self.expand_paths);
        Err(Problem::new(Code::QueryTooComplex, detail))
    }

    /// Refuses a query with more filters, or deeper conditions.
    ///
    /// # Errors
    /// `query_too_complex`.
    pub(crate) fn check(self, terms: usize, depth: usize) -> Result<(), Problem> {
        let too_complex = |detail| Err(Problem::new(Code::QueryTooComplex, detail));
        if terms > self.terms {
            return too_complex(format!("the query must have at most {} filters", self.terms));
        }
        if depth > self.where_depth {
            let most = self.where_depth;
            return too_complex(format!("conditions must nest at most {most} deep, found {depth}"));
        }
        Ok(())
    }
}
