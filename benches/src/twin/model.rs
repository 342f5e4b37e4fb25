//! A product, and the bodies that create and update one.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize};
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;

use super::error::{ApiError, FieldError};
use super::from_row::from_row;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Product {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) price: f64,
    pub(crate) stock: i32,
    pub(crate) category_id: i64,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) updated_at: DateTime<Utc>,
}

from_row!(SqliteRow => Product { id, name, description, price, stock, category_id, created_at, updated_at });
from_row!(PgRow => Product { id, name, description, price, stock, category_id, created_at, updated_at });

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewProduct {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) price: f64,
    pub(crate) stock: i32,
    pub(crate) category_id: i64,
}

impl NewProduct {
    pub(crate) fn validate(&self) -> Result<(), ApiError> {
        let mut errors = Vec::new();
        check_name(&self.name, &mut errors);
        check_price(self.price, &mut errors);
        reject_if_any(errors)
    }
}

/// The body of a batch of creates.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewProducts {
    pub(crate) items: Vec<NewProduct>,
}

/// The response to a batch of creates.
#[derive(Debug, Serialize)]
pub(crate) struct Created {
    pub(crate) created: usize,
    pub(crate) items: Vec<Product>,
}

/// The body of an update: only the fields present change; `null` clears the description.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::option_option)] // absent, null or text
pub(crate) struct ProductPatch {
    pub(crate) name: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) description: Option<Option<String>>,
    pub(crate) price: Option<f64>,
    pub(crate) stock: Option<i32>,
    pub(crate) category_id: Option<i64>,
}

impl ProductPatch {
    pub(crate) fn validate(&self) -> Result<(), ApiError> {
        let mut errors = Vec::new();
        if let Some(name) = &self.name {
            check_name(name, &mut errors);
        }
        if let Some(price) = self.price {
            check_price(price, &mut errors);
        }
        reject_if_any(errors)
    }

    pub(crate) fn apply(self, product: &mut Product) {
        if let Some(name) = self.name {
            product.name = name;
        }
        if let Some(description) = self.description {
            product.description = description;
        }
        if let Some(price) = self.price {
            product.price = price;
        }
        if let Some(stock) = self.stock {
            product.stock = stock;
        }
        if let Some(category_id) = self.category_id {
            product.category_id = category_id;
        }
    }
}

// A present field is `Some`, also when `null`; an absent one has serde's default.
#[allow(clippy::option_option)]
pub(super) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

pub(super) fn check_name(name: &str, errors: &mut Vec<FieldError>) {
    if !(1..=200).contains(&name.chars().count()) {
        errors.push(FieldError::new("/name", "must have 1 to 200 characters"));
    }
}

pub(super) fn check_price(price: f64, errors: &mut Vec<FieldError>) {
    if price < 0.0 {
        errors.push(FieldError::new("/price", "must not be less than 0"));
    }
}

pub(super) fn reject_if_any(errors: Vec<FieldError>) -> Result<(), ApiError> {
    if errors.is_empty() { Ok(()) } else { Err(ApiError::Invalid(errors)) }
}
