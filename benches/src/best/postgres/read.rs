//! Reads, shared out among a few connections.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio_postgres::types::ToSql;

use super::session::{Session, write};
use crate::best::record::COLUMNS;
use crate::twin::error::ApiError;
use crate::twin::page::ListParams;

/// Number of connections that read: each is a process of the database.
const SESSIONS: usize = 4;

#[derive(Debug)]
pub(super) struct Reader {
    sessions: Vec<Session>,
    next: AtomicUsize,
}

impl Reader {
    pub(super) async fn open(url: &str) -> anyhow::Result<Self> {
        let mut sessions = Vec::with_capacity(SESSIONS);
        for _ in 0..SESSIONS {
            sessions.push(Session::open(url).await?);
        }
        Ok(Self { sessions, next: AtomicUsize::new(0) })
    }

    fn session(&self) -> &Session {
        &self.sessions[self.next.fetch_add(1, Ordering::Relaxed) % self.sessions.len()]
    }

    /// The product with this key.
    pub(super) async fn one(&self, id: i64) -> Result<Vec<u8>, ApiError> {
        let rows = self.session().rows(&format!("SELECT {COLUMNS} FROM products WHERE id = $1"), &[&id]).await?;
        let mut out = Vec::with_capacity(256);
        write(rows.first().ok_or(ApiError::NotFound(id))?, &mut out)?;
        Ok(out)
    }

    /// A page with its total: both statements are sent at once.
    pub(super) async fn list(&self, parameters: &ListParams) -> Result<Vec<u8>, ApiError> {
        let (skip, limit) = parameters.range()?;
        let like = parameters.name_like.as_deref().map(crate::twin::postgres::like);
        let mut condition = String::new();
        let mut values: Vec<&(dyn ToSql + Sync)> = Vec::new();
        let mut filter = |term: &str, value| {
            values.push(value);
            let glue = if condition.is_empty() { " WHERE " } else { " AND " };
            let _ = write!(condition, "{glue}{term} ${}", values.len());
        };
        if let Some(name) = &parameters.name {
            filter("name =", name);
        }
        if let Some(pattern) = &like {
            filter("name LIKE", pattern);
        }
        for (term, price) in
            [("price =", &parameters.price), ("price >", &parameters.price_gt), ("price <", &parameters.price_lt)]
        {
            if let Some(price) = price {
                filter(term, price);
            }
        }
        for (term, stock) in
            [("stock =", &parameters.stock), ("stock >", &parameters.stock_gt), ("stock <", &parameters.stock_lt)]
        {
            if let Some(stock) = stock {
                filter(term, stock);
            }
        }
        if let Some(category) = &parameters.category_id {
            filter("category_id =", category);
        }
        let count = format!("SELECT count(*) FROM products{condition}");
        let order = parameters.order()?;
        let select = format!("SELECT {COLUMNS} FROM products{condition} ORDER BY {order} LIMIT {limit} OFFSET {skip}");
        let session = self.session();
        let (count, rows) = tokio::try_join!(session.rows(&count, &values), session.rows(&select, &values))?;
        let total: i64 = count.first().map_or(Ok(0), |row| row.try_get(0))?;
        let mut out = Vec::with_capacity(256 * rows.len() + 128);
        out.extend_from_slice(b"{\"data\":[");
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write(row, &mut out)?;
        }
        let (page, pages) = (skip / limit + 1, (total + limit - 1) / limit);
        let _ = write!(out, r#"],"total":{total},"total_relation":"eq","page":{page},"#);
        let _ = write!(out, r#""pages":{pages},"limit":{limit},"skip":{skip}}}"#);
        Ok(out)
    }
}
