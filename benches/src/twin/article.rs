//! An article: a product with the capabilities of lists and changes; its bodies and parameters.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteRow;

use super::error::{ApiError, FieldError};
use super::from_row::from_row;
use super::model::{check_name, check_price, present, reject_if_any};

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Article {
    pub(crate) id: i64,
    pub(crate) sku: String,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) price: f64,
    pub(crate) stock: i32,
    pub(crate) category_id: i64,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) updated_at: DateTime<Utc>,
    /// By `expand`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<Category>,
}

from_row!(SqliteRow => Article {
    id, sku, name, description, price, stock, category_id, created_at, updated_at; category
});

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Category {
    pub(crate) id: i64,
    name: String,
    description: Option<String>,
}

from_row!(SqliteRow => Category { id, name, description });

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::option_option)] // absent, null or text
pub(crate) struct NewArticle {
    pub(crate) sku: String,
    pub(crate) name: String,
    #[serde(default, deserialize_with = "present")]
    pub(crate) description: Option<Option<String>>,
    pub(crate) price: f64,
    pub(crate) stock: i32,
    pub(crate) category_id: i64,
}

impl NewArticle {
    pub(crate) fn validate(&self) -> Result<(), ApiError> {
        let mut errors = Vec::new();
        if !(1..=40).contains(&self.sku.chars().count()) {
            errors.push(FieldError::new("/sku", "must have 1 to 40 characters"));
        }
        check_name(&self.name, &mut errors);
        check_price(self.price, &mut errors);
        reject_if_any(errors)
    }
}

/// The parameters of a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArticleParams {
    /// A condition in JSON.
    #[serde(rename = "where")]
    condition: Option<String>,
    pub(crate) q: Option<String>,
    expand: Option<String>,
    #[serde(rename = "category.name__startswith")]
    pub(crate) category_name_startswith: Option<String>,
    sort: Option<String>,
    skip: Option<i64>,
    limit: Option<i64>,
}

/// A condition: all of its members hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Condition {
    pub(crate) and: Vec<Condition>,
    pub(crate) or: Vec<Condition>,
    pub(crate) not: Option<Box<Condition>>,
    pub(crate) name: Option<String>,
    pub(crate) price: Option<f64>,
    #[serde(rename = "price__gt")]
    pub(crate) price_gt: Option<f64>,
    #[serde(rename = "price__lt")]
    pub(crate) price_lt: Option<f64>,
    pub(crate) stock: Option<i32>,
    #[serde(rename = "stock__gt")]
    pub(crate) stock_gt: Option<i32>,
    #[serde(rename = "stock__lt")]
    pub(crate) stock_lt: Option<i32>,
    pub(crate) category_id: Option<i64>,
}

impl ArticleParams {
    pub(crate) fn range(&self) -> Result<(i64, i64), ApiError> {
        super::page::range(self.skip, self.limit)
    }

    pub(crate) fn condition(&self) -> Result<Option<Condition>, ApiError> {
        let parsed = self.condition.as_deref().map(serde_json::from_str).transpose();
        parsed.map_err(|error| ApiError::BadParameter(format!("where: {error}")))
    }

    /// Whether each article has its category beside it.
    pub(crate) fn expands_category(&self) -> Result<bool, ApiError> {
        match self.expand.as_deref() {
            None => Ok(false),
            Some("category") => Ok(true),
            Some(path) => Err(ApiError::BadParameter(format!("expand: no such path `{path}`"))),
        }
    }

    /// The ORDER BY clause.
    pub(crate) fn order(&self) -> Result<String, ApiError> {
        super::page::order(self.sort.as_deref().unwrap_or("-created_at"), "articles.id", |name| {
            Some(match name {
                "name" => "articles.name",
                "price" => "articles.price",
                "created_at" => "articles.created_at",
                "category.name" => "categories.name",
                _ => return None,
            })
        })
    }

    /// The words of `q` in FTS5's language, each in quotes; of the last one, a beginning is enough.
    pub(crate) fn words(&self) -> Result<Option<String>, ApiError> {
        let Some(text) = &self.q else { return Ok(None) };
        let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
        if words.is_empty() || words.len() > 10 || text.chars().count() > 200 {
            return Err(ApiError::BadParameter("q: must have 1 to 10 words in at most 200 characters".to_owned()));
        }
        Ok(Some(format!("{} *", words.join(" "))))
    }
}
