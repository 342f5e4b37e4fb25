//! Changes that another program makes past the service, by SQL or as documents.

use ::mongodb::bson::{Bson, Document, doc};
use crud_runtime::adapter::text::parse_date_time;

use crate::backend::{Backend, Database};

/// A value as another program stores it.
#[derive(Debug, Clone, Copy)]
pub enum Stored<'a> {
    /// An integer.
    Number(i64),
    /// Text.
    Text(&'a str),
    /// A date and time, from its canonical text.
    Time(&'a str),
}

/// A field with a value.
type Field<'a> = (&'a str, Stored<'a>);

impl Database {
    /// Inserts a record of these fields.
    ///
    /// # Panics
    /// When the database rejects it.
    pub async fn insert_directly(&self, table: &str, fields: &[Field<'_>]) {
        if self.backend() == Backend::MongoDb {
            let document: Document = fields.iter().map(|field| pair(*field)).collect();
            self.collection(table).await.insert_one(document).await.expect("the document");
            return;
        }
        let names: Vec<String> = fields.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let values: Vec<String> = fields.iter().map(|(_, value)| self.literal(*value)).collect();
        self.execute(&format!("INSERT INTO \"{table}\" ({}) VALUES ({})", names.join(", "), values.join(", "))).await;
    }

    /// Sets a field of the records that have another field's value, or of every record.
    ///
    /// # Panics
    /// When the database rejects it.
    pub async fn set_directly(&self, table: &str, field: Field<'_>, of: Option<Field<'_>>) {
        if self.backend() == Backend::MongoDb {
            let (name, value) = pair(field);
            let update = doc! { "$set": { name: value } };
            self.collection(table).await.update_many(filter(of), update).await.expect("the change");
            return;
        }
        let (name, value) = field;
        let condition = self.condition(of);
        self.execute(&format!("UPDATE \"{table}\" SET \"{name}\" = {}{condition}", self.literal(value))).await;
    }

    /// Deletes the records that have a field's value, or every record.
    ///
    /// # Panics
    /// When the database rejects it.
    pub async fn delete_directly(&self, table: &str, of: Option<Field<'_>>) {
        if self.backend() == Backend::MongoDb {
            self.collection(table).await.delete_many(filter(of)).await.expect("the deletion");
            return;
        }
        self.execute(&format!("DELETE FROM \"{table}\"{}", self.condition(of))).await;
    }

    fn condition(&self, of: Option<Field<'_>>) -> String {
        of.map(|(name, value)| format!(" WHERE \"{name}\" = {}", self.literal(value))).unwrap_or_default()
    }

    fn literal(&self, value: Stored<'_>) -> String {
        match value {
            Stored::Number(number) => number.to_string(),
            Stored::Text(text) => format!("'{text}'"),
            Stored::Time(time) => self.time_literal(time),
        }
    }
}

fn filter(of: Option<Field<'_>>) -> Document {
    of.map(pair).into_iter().collect()
}

/// A field of a document; the kitchen's keys are called `id`.
fn pair((name, value): Field<'_>) -> (String, Bson) {
    let value = match value {
        Stored::Number(number) => Bson::Int64(number),
        Stored::Text(text) => Bson::String(text.to_owned()),
        Stored::Time(time) => Bson::Int64(parse_date_time(time).expect("a time").timestamp_micros()),
    };
    (if name == "id" { "_id" } else { name }.to_owned(), value)
}
