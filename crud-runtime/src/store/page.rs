//! [`Page`]: a page of typed records.

/// A page of records.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page<R> {
    /// The records.
    pub data: Vec<R>,
    /// Number of records in all that satisfy the query's condition.
    pub total: u64,
    /// The number of this page, from 1.
    pub page: u64,
    /// The number of pages.
    pub pages: u64,
    /// The page size.
    pub limit: u64,
    /// Number of records that precede this page.
    pub skip: u64,
}
