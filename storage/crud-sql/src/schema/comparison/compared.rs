//! [`Compared`]: a resource beside its table.

use super::search::ComparedSearch;
use crate::catalogue::table::{Column, ForeignKey, Index as TableIndex, Table};
use crate::dialect::Dialect;
use crate::model::descriptor::Descriptor;
use crate::schema::comparison::renamed_columns::Renamed;
use crate::schema::comparison::renamed_tables::RenamedTable;
use crate::search_index::SearchIndex;
use crate::storage::indexes::Index;
use crate::storage::schema::{Difference, DifferenceKind};

/// A resource, its table, and how they differ.
pub(crate) struct Compared {
    pub(crate) resource: &'static Descriptor,
    /// The table, where it exists.
    pub(crate) table: Option<Table>,
    /// The table that is there by its former name; `table` is none then.
    pub(crate) former: Option<RenamedTable>,
    /// The columns of the table that a migration renames; `table` has their new names.
    pub(crate) renamed: Vec<Renamed>,
    /// The former and the new names of its indexes, in the order in which they are renamed; `table` has the new ones.
    pub(crate) renamed_indexes: Vec<(String, String)>,
    /// The indexes that an existing table lacks.
    pub(crate) indexes: Vec<Index>,
    /// The indexes of words.
    pub(crate) search: ComparedSearch,
    pub(crate) differences: Vec<Difference>,
}

impl Compared {
    /// A resource without a table.
    pub(crate) fn missing(resource: &'static Descriptor) -> Self {
        let (renamed, indexes, differences) = (Vec::new(), Vec::new(), Vec::new());
        let (search, renamed_indexes) = (ComparedSearch::default(), Vec::new());
        Self { resource, table: None, former: None, renamed, renamed_indexes, indexes, search, differences }
    }

    /// The indexes of words in whose place the missing one is: it has lost a trigger, or is of columns that get other names.
    /// Others may be of another program's searches.
    pub(crate) fn replaced_searches(&self) -> impl Iterator<Item = &SearchIndex> {
        let wanted = self.search.missing.as_ref();
        let is_replaced = move |present: &&SearchIndex| {
            !self.renamed.is_empty() || wanted.is_some_and(|wanted| wanted.name == present.name)
        };
        self.search.unused.iter().filter(is_replaced)
    }

    /// The kinds of the differences, in their order.
    pub(crate) fn whats(&self) -> impl Iterator<Item = &DifferenceKind> {
        self.differences.iter().map(|difference| &difference.what)
    }

    /// Whether there is a table, and not a view.
    #[cfg(feature = "migrations")]
    pub(crate) fn is_table(&self) -> bool {
        self.table.as_ref().is_some_and(|table| table.kind == "table")
    }

    /// The column that has the name of a field's.
    pub(crate) fn column<D: Dialect>(&self, name: &str) -> Option<&Column> {
        self.table.as_ref()?.column::<D>(name)
    }

    /// Whether an index or a constraint of the table has this name before those of columns that get other names.
    pub(crate) fn had(&self, name: &str) -> bool {
        let is_new = |(_, to): &(String, String)| to == name;
        self.renamed_indexes.iter().any(|(from, _)| from == name)
            || !self.renamed_indexes.iter().any(is_new)
                && self.table.as_ref().is_some_and(|table| table.has_named(name))
    }

    /// The index of this name that the table lacks.
    #[cfg(feature = "migrations")]
    pub(crate) fn wanted_index<D: Dialect>(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|wanted| (D::TABLES.shorten)(wanted.name(self.resource)) == name)
    }

    /// The indexes of the table.
    pub(crate) fn present_indexes(&self) -> impl Iterator<Item = &TableIndex> {
        self.table.iter().flat_map(|table| &table.indexes)
    }

    /// The foreign keys of the table.
    pub(crate) fn foreign_keys(&self) -> impl Iterator<Item = &ForeignKey> {
        self.table.iter().flat_map(|table| &table.foreign_keys)
    }
}
