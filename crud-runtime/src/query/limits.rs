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
}

impl Default for QueryLimits {
    fn default() -> Self {
        Self { terms: 100 }
    }
}

impl QueryLimits {
    /// Sets how many filters a query has at most.
    #[must_use]
    pub const fn terms(mut self, terms: usize) -> Self {
        self.terms = terms;
        self
    }

    /// Refuses more filters than that.
    ///
    /// # Errors
    /// `query_too_complex`.
    pub(crate) fn check_terms(self, terms: usize) -> Result<(), Problem> {
        if terms <= self.terms {
            return Ok(());
        }
        let detail = format!("the query must have at most {} filters, found {terms}", self.terms);
        Err(Problem::new(Code::QueryTooComplex, detail))
    }
}
