//! Updates: the records of all of them are read by one statement, and changed with their entries by another.

use std::collections::HashSet;

use chrono::{DateTime, SubsecRound, Utc};
use serde_json::{Map, Value};
use tokio_postgres::Row;

use super::group::{Answer, Make};
use super::session::{Session, text};
use crate::best::record::COLUMNS;
use crate::twin::error::ApiError;
use crate::twin::model::{Product, ProductPatch};

/// A record that was changed since it was read is left as it is.
const UPDATE: &str = "
    WITH given AS (
        SELECT * FROM unnest($1::int8[], $2::timestamptz[], $3::text[], $4::text[], $5::float8[], $6::int4[], $7::int8[],
            $8::text[], $9::text[])
            AS given (id, before, name, description, price, stock, category_id, changes, previous)
    ), changed AS (
        UPDATE products SET name = given.name, description = given.description, price = given.price,
            stock = given.stock, category_id = given.category_id, updated_at = $10
        FROM given WHERE products.id = given.id AND products.updated_at = given.before
        RETURNING products.id, given.changes, given.previous
    ), logged AS (
        INSERT INTO audit_logs (entity_type, entity_id, action, changes, previous, timestamp)
        SELECT 'Product', id, 'update', changes::json, previous::json, $10 FROM changed
    )
    SELECT id FROM changed";

#[derive(Debug)]
pub(super) struct Updates {
    session: Session,
}

/// A changed record, before and after.
struct Changed {
    place: usize,
    before: DateTime<Utc>,
    after: Product,
    changes: String,
    previous: String,
}

impl Updates {
    pub(super) const fn new(session: Session) -> Self {
        Self { session }
    }

    async fn distinct(&self, items: Vec<(usize, i64, ProductPatch)>) -> Result<Vec<(usize, Answer)>, ApiError> {
        let ids: Vec<i64> = items.iter().map(|(_, id, _)| *id).collect();
        let read = format!("SELECT {COLUMNS} FROM products WHERE id = ANY($1)");
        let rows = self.session.rows(&read, &[&ids]).await?;
        let records = rows.iter().map(product).collect::<Result<Vec<Product>, _>>()?;
        let now = Utc::now().trunc_subsecs(6);
        let (mut answers, mut changed) = (Vec::with_capacity(items.len()), Vec::with_capacity(items.len()));
        for (place, id, patch) in items {
            let Some(before) = records.iter().find(|record| record.id == id) else {
                answers.push((place, Err(ApiError::NotFound(id))));
                continue;
            };
            let mut after = before.clone();
            patch.apply(&mut after);
            if after == *before {
                answers.push((place, Ok((id, serde_json::to_vec(&after)?))));
                continue;
            }
            after.updated_at = now;
            let (changes, previous) = difference(before, &after)?;
            changed.push(Changed { place, before: before.updated_at, after, changes, previous });
        }
        if changed.is_empty() {
            return Ok(answers);
        }
        let all = &changed[..];
        let made = self
            .session
            .rows(
                UPDATE,
                &[
                    &column(all, |one| one.after.id),
                    &column(all, |one| one.before),
                    &column(all, |one| one.after.name.as_str()),
                    &column(all, |one| one.after.description.as_deref()),
                    &column(all, |one| one.after.price),
                    &column(all, |one| one.after.stock),
                    &column(all, |one| one.after.category_id),
                    &column(all, |one| one.changes.as_str()),
                    &column(all, |one| one.previous.as_str()),
                    &now,
                ],
            )
            .await?;
        let made = made.iter().map(|row| row.try_get(0)).collect::<Result<HashSet<i64>, _>>()?;
        for Changed { place, after, .. } in changed {
            // Another program changed it meanwhile; the client may try again.
            let is_made = made.contains(&after.id);
            let answer = if is_made { Ok((after.id, serde_json::to_vec(&after)?)) } else { Err(ApiError::Busy) };
            answers.push((place, answer));
        }
        Ok(answers)
    }
}

impl Make<(i64, ProductPatch)> for Updates {
    /// Applies the changes; those of one record one after another.
    async fn each(&self, items: Vec<(i64, ProductPatch)>) -> Vec<Answer> {
        let mut answers: Vec<Option<Answer>> = items.iter().map(|_| None).collect();
        let mut left: Vec<(usize, i64, ProductPatch)> =
            items.into_iter().enumerate().map(|(place, (id, patch))| (place, id, patch)).collect();
        while !left.is_empty() {
            let mut seen = HashSet::new();
            let (now, later) = left.into_iter().partition(|(_, id, _)| seen.insert(*id));
            left = later;
            match self.distinct(now).await {
                Ok(made) => made.into_iter().for_each(|(place, answer)| answers[place] = Some(answer)),
                // The clients may try again.
                Err(error) => tracing::error!(%error, "updates failed"),
            }
        }
        answers.into_iter().map(|answer| answer.unwrap_or(Err(ApiError::Busy))).collect()
    }
}

fn column<'a, T>(changed: &'a [Changed], value: impl Fn(&'a Changed) -> T) -> Vec<T> {
    changed.iter().map(value).collect()
}

pub(super) fn product(row: &Row) -> Result<Product, tokio_postgres::Error> {
    Ok(Product {
        id: row.try_get(0)?,
        name: row.try_get(1)?,
        description: row.try_get(2)?,
        price: row.try_get(3)?,
        stock: row.try_get(4)?,
        category_id: row.try_get(5)?,
        created_at: row.try_get(6)?,
        updated_at: row.try_get(7)?,
    })
}

/// The new and the old values of the changed fields, as JSON.
pub(super) fn difference(before: &Product, after: &Product) -> Result<(String, String), ApiError> {
    let (mut new, mut old) = (Map::new(), Map::new());
    let mut note = |name: &str, from: Value, to: Value| {
        if from != to {
            old.insert(name.to_owned(), from);
            new.insert(name.to_owned(), to);
        }
    };
    note("name", before.name.as_str().into(), after.name.as_str().into());
    note("description", before.description.as_deref().into(), after.description.as_deref().into());
    note("price", before.price.into(), after.price.into());
    note("stock", before.stock.into(), after.stock.into());
    note("category_id", before.category_id.into(), after.category_id.into());
    note("updated_at", text(before.updated_at).into(), text(after.updated_at).into());
    Ok((serde_json::to_string(&new)?, serde_json::to_string(&old)?))
}
