//! [`Page`]: a page of typed records.

use serde::ser::{Serialize, SerializeStruct, Serializer};

/// A page of records.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Part { id: i64, stock: i32 }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
/// let parts = service.store::<Part>();
/// parts.create_batch((1..=5).map(|stock| NewPart { stock })).await?;
/// let page = parts.page(Select::from(Part::FIELDS.stock.asc()).limit(2).offset(2)).await?;
/// assert_eq!((page.page, page.pages, page.total), (2, 3, 5));
/// # Ok(()) }
/// ```
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

impl<R> Page<R> {
    /// The page with each record changed into another value.
    pub fn map<T>(self, change: impl FnMut(R) -> T) -> Page<T> {
        let Self { data, total, page, pages, limit, skip } = self;
        Page { data: data.into_iter().map(change).collect(), total, page, pages, limit, skip }
    }
}

/// The JSON of lists over HTTP.
impl<R: Serialize> Serialize for Page<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { data, total, page, pages, limit, skip } = self;
        let mut json = serializer.serialize_struct("Page", 7)?;
        json.serialize_field("data", data)?;
        json.serialize_field("total", total)?;
        json.serialize_field("total_relation", "eq")?;
        json.serialize_field("page", page)?;
        json.serialize_field("pages", pages)?;
        json.serialize_field("limit", limit)?;
        json.serialize_field("skip", skip)?;
        json.end()
    }
}
