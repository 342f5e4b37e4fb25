//! [`Schema`]: the collection `_schema`, which describes each other collection in a document.
//!
//! ```text
//! { _id: "orders", audited: true, fields: ["total: an integer …", …],
//!   references: [{ field: "customer_id", to: "customers", on_delete: "restrict" }],
//!   uniques: [{ name: "ux_orders__number", fields: ["number"] }] }
//! ```
//!
//! From it, a process knows which collections refer to a record that it removes, and where entries may be pending,
//! whichever resources it serves itself.

use mongodb::bson::{Bson, Document, RawBsonRef, RawDocument, RawDocumentBuf, doc};
use serde::{Deserialize, Serialize};

use super::database::Session;
use super::error::{Failure, failed};
use super::field::{GONE, KEY, field};
use super::value::expected;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, OnDelete};
use crate::storage::uniques::of as uniques;

/// The collection of the descriptions.
pub(super) const SCHEMA: &str = "_schema";

/// Descriptions in one answer: far more than a service has collections.
const MANY: i64 = 100_000;

/// The description of a collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Collection {
    /// The collection's name.
    #[serde(rename = "_id")]
    pub(super) name: String,
    /// Whether the collection's documents may have audit entries in their outboxes.
    pub(super) audited: bool,
    /// The collection's fields, with the kind of each.
    pub(super) fields: Vec<String>,
    /// The fields that refer to other documents.
    pub(super) references: Vec<Reference>,
    /// The unique indexes.
    pub(super) uniques: Vec<UniqueIndex>,
}

/// A field that refers to other documents by their key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reference {
    pub(super) field: String,
    /// The collection that the field refers to.
    pub(super) to: String,
    pub(super) on_delete: ReferentialAction,
    /// The fields that refer to a key of several parts, in the key's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<ReferencePart>,
}

/// A field that refers to a part of a key. A document: not every server stores arrays in arrays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ReferencePart {
    pub(super) field: String,
    /// The part's name in the key.
    pub(super) part: String,
}

impl Reference {
    /// The fields that refer.
    pub(super) fn fields(&self) -> Vec<&str> {
        if self.parts.is_empty() {
            return vec![&self.field];
        }
        self.parts.iter().map(|part| part.field.as_str()).collect()
    }

    /// The filter of the documents that refer to a key and are not removed.
    pub(super) fn referring(&self, key: &Bson) -> Document {
        let mut filter = match key {
            Bson::Document(key) if !self.parts.is_empty() => {
                let part = |name: &String| key.get(name).cloned().unwrap_or(Bson::Null);
                self.parts.iter().map(|of| (of.field.clone(), part(&of.part))).collect()
            }
            key => doc! { self.field.as_str(): key.clone() },
        };
        filter.insert(GONE, Bson::Null);
        filter
    }

    /// The key to which a document refers, if it refers to one.
    ///
    /// # Errors
    /// When the document is malformed.
    pub(super) fn key_in(&self, document: &RawDocument) -> Result<Option<Bson>, AdapterError> {
        let value = |field: &str| -> Result<Option<Bson>, AdapterError> {
            match document.get(field).map_err(failed)? {
                None | Some(RawBsonRef::Null) => Ok(None),
                Some(value) => Bson::try_from(value).map(Some).map_err(failed),
            }
        };
        if self.parts.is_empty() {
            return value(&self.field);
        }
        let mut key = Document::new();
        for of in &self.parts {
            let Some(part) = value(&of.field)? else { return Ok(None) };
            key.insert(of.part.clone(), part);
        }
        Ok(Some(Bson::Document(key)))
    }
}

/// Rule for a document when the one that it refers to is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReferentialAction {
    /// The removal is refused.
    Restrict,
    /// The document is removed too.
    Cascade,
    /// The document's reference becomes null.
    SetNull,
}

/// A unique index, and the fields of its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UniqueIndex {
    pub(super) name: String,
    pub(super) fields: Vec<String>,
}

impl From<OnDelete> for ReferentialAction {
    fn from(action: OnDelete) -> Self {
        match action {
            OnDelete::Restrict => Self::Restrict,
            OnDelete::Cascade => Self::Cascade,
            OnDelete::SetNull => Self::SetNull,
        }
    }
}

impl Collection {
    /// The description of a resource's collection.
    pub(super) fn of(resource: &Descriptor) -> Self {
        let columns = resource.columns.iter().enumerate();
        let name = |column: usize| field(resource, column).to_owned();
        let references = columns.clone().filter_map(|(column, descriptor)| {
            let reference = descriptor.constraint()?;
            let target = (reference.target)();
            let pairs = if reference.by.is_empty() { Vec::new() } else { reference.pairs(column) };
            let part = |(own, key): (usize, usize)| ReferencePart {
                field: name(own),
                part: target.columns[key].column.to_owned(),
            };
            let parts = pairs.into_iter().map(part).collect();
            Some(Reference {
                field: name(column),
                to: target.table.to_owned(),
                on_delete: reference.on_delete.into(),
                parts,
            })
        });
        let uniques = uniques(resource).into_iter().map(|unique| UniqueIndex {
            name: unique.name(resource),
            fields: unique.columns.iter().map(|column| name(*column)).collect(),
        });
        let stored = columns.filter(|(_, descriptor)| descriptor.is_stored());
        Self {
            name: resource.table.to_owned(),
            audited: resource.audit.is_some(),
            fields: stored.map(|(column, descriptor)| format!("{}: {}", name(column), expected(descriptor))).collect(),
            references: references.collect(),
            uniques: uniques.collect(),
        }
    }

    /// Adds the parts of another resource's description of the same collection.
    pub(super) fn merge(&mut self, other: Self) {
        self.audited |= other.audited;
        extend(&mut self.fields, other.fields);
        extend(&mut self.references, other.references);
        extend(&mut self.uniques, other.uniques);
    }

    /// Fields whose integers counted other units in the description `before`, such as cents or days: the name, the old
    /// units and the new ones. Stored integers would be read as other values.
    pub(super) fn changed_units<'a>(&'a self, before: &'a Self) -> Vec<[&'a str; 3]> {
        let before: Vec<_> = before.fields.iter().filter_map(|field| units(field)).collect();
        let changed = self.fields.iter().filter_map(|field| {
            let (name, new) = units(field)?;
            let mut old = before.iter().filter(|(other, _)| *other == name).map(|(_, old)| *old).peekable();
            let first = *old.peek()?;
            (!old.any(|old| old == new)).then_some([name, first, new])
        });
        changed.collect()
    }

    /// The description as a document.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub(super) fn document(&self) -> Result<RawDocumentBuf, AdapterError> {
        mongodb::bson::serialize_to_raw_document_buf(self).map_err(failed)
    }
}

/// The name of a described field of integers, and what they count.
fn units(field: &str) -> Option<(&str, &str)> {
    let (name, expected) = field.rsplit_once(": an integer of ")?;
    let counted = expected.trim_end_matches(" or null");
    Some((name, if counted.contains(" bits") { "whole numbers" } else { counted }))
}

fn extend<T: PartialEq>(all: &mut Vec<T>, others: Vec<T>) {
    for other in others {
        if !all.contains(&other) {
            all.push(other);
        }
    }
}

/// The descriptions of every collection.
#[derive(Debug, Default)]
pub(super) struct Schema(pub(super) Vec<Collection>);

impl Schema {
    /// Reads the descriptions.
    ///
    /// # Errors
    /// When the server fails, or a description is malformed.
    pub(super) async fn read(session: &mut Session<'_>) -> Result<Self, Failure> {
        let documents = session.find(SCHEMA, doc! {}, MANY).await?;
        let collections = documents.iter().map(|document| mongodb::bson::deserialize_from_slice(document.as_bytes()));
        Ok(Self(collections.collect::<Result<_, _>>().map_err(failed)?))
    }

    /// The description of a collection.
    pub(super) fn get(&self, name: &str) -> Option<&Collection> {
        self.0.iter().find(|collection| collection.name == name)
    }

    /// The descriptions with a new one, which replaces the one of the same name.
    pub(super) fn with(mut self, description: Collection) -> Self {
        self.0.retain(|other| other.name != description.name);
        self.0.push(description);
        self
    }

    /// The references to a collection, each with the collection that has it.
    pub(super) fn referring<'a>(&'a self, to: &'a str) -> impl Iterator<Item = (&'a Collection, &'a Reference)> {
        let references =
            self.0.iter().flat_map(|collection| collection.references.iter().map(move |it| (collection, it)));
        references.filter(move |(_, reference)| reference.to == to)
    }
}

/// Whether a collection is described.
///
/// # Errors
/// When the server fails.
pub(super) async fn is_described(session: &mut Session<'_>, name: &str) -> Result<bool, Failure> {
    let name = Bson::String(name.to_owned());
    Ok(session.find_one(SCHEMA, doc! { KEY: name }).await?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(fields: &[&str]) -> Collection {
        let fields = fields.iter().map(|field| (*field).to_owned()).collect();
        let name = "offers".to_owned();
        Collection { name, audited: false, fields, references: Vec::new(), uniques: Vec::new() }
    }

    #[test]
    fn field_of_other_units_is_changed_and_a_wider_one_is_not() {
        let before = described(&[
            "price: an integer of units of 0.01",
            "stock: an integer of 32 bits",
            "due: an integer of days since 1970 or null",
            "name: a string",
        ]);
        let after = described(&[
            "price: an integer of units of 0.001 or null",
            "stock: an integer of 64 bits or null",
            "due: an integer of days since 1970",
            "name: an integer of 64 bits",
            "new: an integer of units of 1",
        ]);
        assert_eq!(after.changed_units(&before), [["price", "units of 0.01", "units of 0.001"]]);
        assert_eq!(before.changed_units(&before), [[""; 3]; 0]);
    }
}
