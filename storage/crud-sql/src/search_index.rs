//! [`SearchIndex`]: the index of the words of a resource's texts.
//!
//! Its name has a hash of its definition, so that a change of the searched fields is noticed by the name:
//! `search_1f0c36a9_products`. It is derived from the records alone, so that it is dropped and created without a loss.

use xxhash_rust::xxh3::xxh3_64;

#[cfg(any(feature = "mysql", feature = "sqlite"))]
use crate::model::descriptor::{Descriptor, Search};

/// An index of words: one that a resource wants, or that is there.
#[derive(Debug, Clone)]
pub(crate) struct SearchIndex {
    /// The name, not quoted.
    pub(crate) name: String,
    /// The statements that create the index, without semicolons at their ends. Those of a present index are spelled as the
    /// database does.
    pub(crate) create: Vec<String>,
    /// The statement that creates the index while others write to the table, if the database has one.
    pub(crate) create_concurrently: Option<String>,
}

impl SearchIndex {
    /// Whether this is the index that a resource wants, including the triggers that keep it in step with the records.
    /// `written`: whether the database keeps statements as they were written. Where they differ from those that the resource
    /// wants, such as by a trigger with another body, the index has missed changes.
    pub(crate) fn is(&self, wanted: &Self, written: bool) -> bool {
        // The database may quote names in another way.
        let bare = |index: &Self| {
            let created = index.create.iter().filter(|statement| statement.starts_with("CREATE "));
            let mut texts: Vec<String> = created.map(|statement| statement.replace('"', "`")).collect();
            texts.sort();
            texts
        };
        self.name == wanted.name && (!written || bare(self) == bare(wanted))
    }
}

/// The name of an index with this definition on a table.
pub(crate) fn name(table: &str, definition: &str) -> String {
    format!("search_{:08x}_{table}", xxh3_64(definition.as_bytes()) >> 32)
}

/// Whether a name is one of [`name`]'s.
#[cfg(any(feature = "mysql", feature = "postgres"))]
pub(crate) fn is_name(name: &str) -> bool {
    let hash = name.strip_prefix("search_").and_then(|rest| rest.split_once('_')).map(|(hash, _)| hash);
    hash.is_some_and(|hash| hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Definition of an index: the language and the columns.
#[cfg(any(feature = "mysql", feature = "sqlite"))]
pub(crate) fn definition(resource: &Descriptor, search: Search) -> String {
    let columns: Vec<&str> = search.columns.iter().map(|column| resource.columns[*column].column).collect();
    format!("{} {}", search.language, columns.join(" "))
}

#[cfg(all(test, any(feature = "mysql", feature = "postgres")))]
mod tests {
    use crate::search_index::{is_name, name};

    #[test]
    fn a_name_is_recognized_by_its_hash() {
        assert!(is_name(&name("products", "simple name")));
        assert!(!is_name("search_products") && !is_name("search_log_by_name") && !is_name("ix_products__name"));
    }
}
