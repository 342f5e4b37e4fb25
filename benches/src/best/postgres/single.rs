//! One statement for each change, as a program writes them whose driver sends one statement at a time.

use chrono::{SubsecRound, Utc};

use super::group::{Answer, Make};
use super::session::{Session, text};
use super::update::{difference, product};
use crate::best::record::{COLUMNS, Record};
use crate::twin::error::ApiError;
use crate::twin::model::{NewProduct, ProductPatch};

const INSERT: &str = "
    WITH made AS (
        INSERT INTO products (name, description, price, stock, category_id, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING id, name, description, price, stock, category_id
    ), logged AS (
        INSERT INTO audit_logs (entity_type, entity_id, action, changes, timestamp)
        SELECT 'Product', id, 'create', json_build_object('id', id, 'name', name, 'description', description,
            'price', price, 'stock', stock, 'category_id', category_id, 'created_at', $7::text, 'updated_at', $7::text),
            $6
        FROM made
    )
    SELECT id FROM made";

/// A record that was changed since it was read is left as it is.
const UPDATE: &str = "
    WITH changed AS (
        UPDATE products SET name = $3, description = $4, price = $5, stock = $6, category_id = $7, updated_at = $8
        WHERE id = $1 AND updated_at = $2 RETURNING id
    ), logged AS (
        INSERT INTO audit_logs (entity_type, entity_id, action, changes, previous, timestamp)
        SELECT 'Product', id, 'update', $9::text::json, $10::text::json, $8 FROM changed
    )
    SELECT id FROM changed";

#[derive(Debug)]
pub(super) struct Single {
    session: Session,
}

impl Single {
    pub(super) const fn new(session: Session) -> Self {
        Self { session }
    }

    async fn create(&self, new: &NewProduct) -> Answer {
        let now = Utc::now().trunc_subsecs(6);
        let time = text(now);
        let NewProduct { name, description, price, stock, category_id } = new;
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 7] =
            [name, description, price, stock, category_id, &now, &time];
        let rows = self.session.rows(INSERT, &parameters).await?;
        let id = rows.first().ok_or(ApiError::Busy)?.try_get(0)?;
        let mut json = Vec::with_capacity(256);
        Record {
            id,
            name,
            description: description.as_deref(),
            price: *price,
            stock: (*stock).into(),
            category_id: *category_id,
            created_at: &time,
            updated_at: &time,
        }
        .write(&mut json)?;
        Ok((id, json))
    }

    async fn update(&self, id: i64, patch: ProductPatch) -> Answer {
        let rows = self.session.rows(&format!("SELECT {COLUMNS} FROM products WHERE id = $1"), &[&id]).await?;
        let before = product(rows.first().ok_or(ApiError::NotFound(id))?)?;
        let mut after = before.clone();
        patch.apply(&mut after);
        if after == before {
            return Ok((id, serde_json::to_vec(&after)?));
        }
        after.updated_at = Utc::now().trunc_subsecs(6);
        let (changes, previous) = difference(&before, &after)?;
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 10] = [
            &id,
            &before.updated_at,
            &after.name,
            &after.description,
            &after.price,
            &after.stock,
            &after.category_id,
            &after.updated_at,
            &changes,
            &previous,
        ];
        let changed = self.session.rows(UPDATE, &parameters).await?;
        if changed.is_empty() { Err(ApiError::Busy) } else { Ok((id, serde_json::to_vec(&after)?)) }
    }
}

impl Make<NewProduct> for Single {
    async fn each(&self, items: Vec<NewProduct>) -> Vec<Answer> {
        let mut answers = Vec::with_capacity(items.len());
        for item in &items {
            answers.push(self.create(item).await);
        }
        answers
    }
}

impl Make<(i64, ProductPatch)> for Single {
    async fn each(&self, items: Vec<(i64, ProductPatch)>) -> Vec<Answer> {
        let mut answers = Vec::with_capacity(items.len());
        for (id, patch) in items {
            answers.push(self.update(id, patch).await);
        }
        answers
    }
}
