//! [`Command`]: a command as it is reported, without its values.

use std::fmt;

use mongodb::bson::{Bson, Document};

/// A command of a collection, written like one of MongoDB's shell: `products.find({ "price": { "$gt": ? } })`.
///
/// It has the names of fields and operators. A placeholder stands for each value or list of values.
pub(super) struct Command<'a> {
    pub(super) collection: &'a str,
    pub(super) name: &'static str,
    pub(super) documents: &'a [&'a Document],
}

impl fmt::Display for Command<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}(", self.collection, self.name)?;
        for (index, document) in self.documents.iter().enumerate() {
            f.write_str(if index > 0 { ", " } else { "" })?;
            Shape(document).fmt(f)?;
        }
        f.write_str(")")
    }
}

/// A document without its values.
struct Shape<'a>(&'a Document);

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            write!(f, "{} \"{name}\": ", if index > 0 { "," } else { "{" })?;
            match value {
                // A field's operand may be a value and is hidden; operators and their structure belong to the command.
                Bson::Document(inner) if is_operator(name) || inner.keys().all(is_operator) => Shape(inner).fmt(f)?,
                Bson::Array(parts) if is_operator(name) => conditions(f, parts)?,
                _ => f.write_str("?")?,
            }
        }
        f.write_str(if self.0.is_empty() { "{}" } else { " }" })
    }
}

/// The conditions of an operator such as `$or`; a placeholder for the values of one such as `$in`.
fn conditions(f: &mut fmt::Formatter<'_>, parts: &[Bson]) -> fmt::Result {
    let mut separator = "[";
    for part in parts {
        let Bson::Document(condition) = part else { return f.write_str("?") };
        f.write_str(separator)?;
        write!(f, "{}", Shape(condition))?;
        separator = ", ";
    }
    f.write_str(if parts.is_empty() { "[]" } else { "]" })
}

fn is_operator(name: impl AsRef<str>) -> bool {
    name.as_ref().starts_with('$')
}

#[cfg(test)]
mod tests {
    use mongodb::bson::doc;

    use super::*;

    fn shown(documents: &[&Document]) -> String {
        Command { collection: "products", name: "find", documents }.to_string()
    }

    #[test]
    fn a_command_has_names_and_no_values() {
        assert_eq!(shown(&[]), "products.find()");
        assert_eq!(shown(&[&doc! {}]), "products.find({})");
        let filter = doc! { "$or": [{ "name": "secret", "price": { "$gt": 5, "$in": [6, 7] } }, { "$and": [] }] };
        assert_eq!(
            shown(&[&filter, &doc! { "$set": { "name": "secret", "tags": ["secret"] } }]),
            r#"products.find({ "$or": [{ "name": ?, "price": { "$gt": ?, "$in": ? } }, { "$and": [] }] }, { "$set": { "name": ?, "tags": ? } })"#
        );
    }

    #[test]
    fn names_within_a_value_are_values() {
        let update = doc! { "$set": { "_o": [{ "log": "secret" }], "data": { "secret": 1 } } };
        assert_eq!(shown(&[&update]), r#"products.find({ "$set": { "_o": ?, "data": ? } })"#);
    }
}
