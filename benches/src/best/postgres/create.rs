//! Creates: any number of products and their entries in one statement.

use chrono::{SubsecRound, Utc};

use super::group::{Answer, Make};
use super::session::{Session, text};
use crate::best::record::Record;
use crate::twin::error::ApiError;
use crate::twin::model::NewProduct;

const INSERT: &str = "
    WITH given AS (
        SELECT * FROM unnest($1::text[], $2::text[], $3::float8[], $4::int4[], $5::int8[])
            WITH ORDINALITY AS given (name, description, price, stock, category_id, place)
    ), made AS (
        INSERT INTO products (name, description, price, stock, category_id, created_at, updated_at)
        SELECT name, description, price, stock, category_id, $6, $6 FROM given ORDER BY place
        RETURNING id, name, description, price, stock, category_id
    ), logged AS (
        INSERT INTO audit_logs (entity_type, entity_id, action, changes, timestamp)
        SELECT 'Product', id, 'create', json_build_object('id', id, 'name', name, 'description', description,
            'price', price, 'stock', stock, 'category_id', category_id, 'created_at', $7::text, 'updated_at', $7::text),
            $6
        FROM made ORDER BY id
    )
    SELECT id FROM made ORDER BY id";

#[derive(Debug)]
pub(super) struct Creates {
    session: Session,
}

impl Creates {
    pub(super) const fn new(session: Session) -> Self {
        Self { session }
    }

    /// Creates all of them or none.
    pub(super) async fn all(&self, items: &[NewProduct]) -> Result<Vec<(i64, Vec<u8>)>, ApiError> {
        let now = Utc::now().trunc_subsecs(6);
        let time = text(now);
        let names: Vec<&str> = items.iter().map(|new| new.name.as_str()).collect();
        let descriptions: Vec<Option<&str>> = items.iter().map(|new| new.description.as_deref()).collect();
        let prices: Vec<f64> = items.iter().map(|new| new.price).collect();
        let stocks: Vec<i32> = items.iter().map(|new| new.stock).collect();
        let categories: Vec<i64> = items.iter().map(|new| new.category_id).collect();
        let rows =
            self.session.rows(INSERT, &[&names, &descriptions, &prices, &stocks, &categories, &now, &time]).await?;
        let made = rows.iter().zip(items).map(|(row, new)| {
            let id = row.try_get(0)?;
            let mut json = Vec::with_capacity(256);
            Record {
                id,
                name: &new.name,
                description: new.description.as_deref(),
                price: new.price,
                stock: new.stock.into(),
                category_id: new.category_id,
                created_at: &time,
                updated_at: &time,
            }
            .write(&mut json)?;
            Ok((id, json))
        });
        made.collect()
    }
}

impl Make<NewProduct> for Creates {
    /// Together, or one by one where one of them fails.
    async fn each(&self, items: Vec<NewProduct>) -> Vec<Answer> {
        match self.all(&items).await {
            Ok(made) => made.into_iter().map(Ok).collect(),
            Err(error) if items.len() == 1 => vec![Err(error)],
            Err(_) => {
                let mut answers = Vec::with_capacity(items.len());
                for item in &items {
                    let made = self.all(std::slice::from_ref(item)).await;
                    answers.push(made.and_then(|made| made.into_iter().next().ok_or(ApiError::Busy)));
                }
                answers
            }
        }
    }
}
