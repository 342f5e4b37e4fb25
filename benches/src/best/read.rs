//! Reads, on the thread of the request: a connection for each thread, statements prepared once.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::record::{COLUMNS, Record};
use crate::twin::error::ApiError;
use crate::twin::page::ListParams;

thread_local! {
    static CONNECTION: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

#[derive(Debug)]
pub(super) struct Reader {
    path: String,
    /// The number of products, which the writer knows.
    total: Arc<AtomicI64>,
}

impl Reader {
    pub(super) const fn new(path: String, total: Arc<AtomicI64>) -> Self {
        Self { path, total }
    }

    fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T, ApiError>) -> Result<T, ApiError> {
        CONNECTION.with_borrow_mut(|slot| {
            let connection = match slot {
                Some(connection) => connection,
                None => {
                    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                    let connection = Connection::open_with_flags(&self.path, flags)?;
                    connection.set_prepared_statement_cache_capacity(64);
                    slot.insert(connection)
                }
            };
            read(connection)
        })
    }

    /// The product with this key.
    pub(super) fn one(&self, id: i64) -> Result<Vec<u8>, ApiError> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM products WHERE id = ?1"))?;
            let mut rows = statement.query([id])?;
            let row = rows.next()?.ok_or(ApiError::NotFound(id))?;
            let mut out = Vec::with_capacity(256);
            Record::of(row)?.write(&mut out)?;
            Ok(out)
        })
    }

    /// A page with its total, of one snapshot where the total is counted.
    pub(super) fn list(&self, parameters: &ListParams) -> Result<Vec<u8>, ApiError> {
        let (skip, limit) = parameters.range()?;
        let (mut condition, mut values) = (String::new(), Vec::<ToSqlOutput<'_>>::new());
        let mut filter = |term: &str, value: ToSqlOutput<'static>| {
            condition.push_str(if condition.is_empty() { " WHERE " } else { " AND " });
            condition.push_str(term);
            values.push(value);
        };
        if let Some(name) = &parameters.name {
            filter("name = ?", name.clone().into());
        }
        if let Some(pattern) = &parameters.name_like {
            filter("name GLOB ?", crate::twin::sqlite::glob(pattern).into());
        }
        for (term, price) in
            [("price = ?", parameters.price), ("price > ?", parameters.price_gt), ("price < ?", parameters.price_lt)]
        {
            if let Some(price) = price {
                filter(term, price.into());
            }
        }
        for (term, stock) in
            [("stock = ?", parameters.stock), ("stock > ?", parameters.stock_gt), ("stock < ?", parameters.stock_lt)]
        {
            if let Some(stock) = stock {
                filter(term, stock.into());
            }
        }
        if let Some(category) = parameters.category_id {
            filter("category_id = ?", category.into());
        }
        let mut select = format!("SELECT {COLUMNS} FROM products{condition} ORDER BY {}", parameters.order()?);
        let _ = write!(select, " LIMIT {limit} OFFSET {skip}");
        self.with(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            let total = if values.is_empty() {
                self.total.load(Ordering::Relaxed)
            } else {
                let count = format!("SELECT count(*) FROM products{condition}");
                connection.prepare_cached(&count)?.query_row(params_from_iter(&values), |row| row.get(0))?
            };
            let mut out = Vec::with_capacity(256 * usize::try_from(limit).unwrap_or_default() + 128);
            out.extend_from_slice(b"{\"data\":[");
            let mut statement = connection.prepare_cached(&select)?;
            let mut rows = statement.query(params_from_iter(&values))?;
            let mut separator = &b""[..];
            while let Some(row) = rows.next()? {
                out.extend_from_slice(std::mem::replace(&mut separator, b","));
                Record::of(row)?.write(&mut out)?;
            }
            drop(rows);
            drop(statement);
            snapshot.finish()?;
            let (page, pages) = (skip / limit + 1, (total + limit - 1) / limit);
            let _ = write!(out, r#"],"total":{total},"total_relation":"eq","page":{page},"#);
            let _ = write!(out, r#""pages":{pages},"limit":{limit},"skip":{skip}}}"#);
            Ok(out)
        })
    }
}
