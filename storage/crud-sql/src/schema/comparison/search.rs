//! Differences between a table's indexes of words and the one that its resource wants.

use super::table_diff::names;
use crate::catalogue::table::Table;
use crate::dialect::Dialect;
use crate::model::descriptor::Descriptor;
use crate::search_index::SearchIndex;
use crate::storage::schema::DifferenceKind;

/// The indexes of words of an existing table, beside the one that its resource wants.
#[derive(Debug, Default)]
pub(crate) struct ComparedSearch {
    /// The one that is missing.
    pub(crate) missing: Option<SearchIndex>,
    /// Indexes that no struct asks for, or whose triggers are missing or others.
    pub(crate) unused: Vec<SearchIndex>,
}

/// Compares the indexes of words; `table` is not there before the resource's is created.
pub(crate) fn compare<D: Dialect>(resource: &Descriptor, table: Option<&Table>) -> ComparedSearch {
    let wanted = (D::TABLES.search)(resource);
    let present = table.map_or(&[][..], |table| &table.searches);
    let is_written = table.is_some_and(|table| !table.written.is_empty());
    let is_whole = |present: &&SearchIndex| wanted.as_ref().is_some_and(|wanted| present.is(wanted, is_written));
    let unused = present.iter().filter(|present| !is_whole(present)).cloned().collect();
    let is_there = present.iter().any(|present| is_whole(&present));
    ComparedSearch { missing: wanted.filter(|_| !is_there), unused }
}

impl ComparedSearch {
    /// The differences.
    pub(crate) fn differences(&self, resource: &Descriptor) -> Vec<DifferenceKind> {
        let columns = names(resource, resource.search.map_or(&[][..], |search| search.columns));
        let wanted = self.missing.as_ref();
        let is_incomplete = |present: &SearchIndex| wanted.is_some_and(|wanted| wanted.name == present.name);
        let missing = wanted.filter(|_| !self.unused.iter().any(is_incomplete));
        let missing = missing.map(|_| DifferenceKind::SearchMissing { columns });
        let unused = self.unused.iter().map(|present| match present.name.clone() {
            index if is_incomplete(present) => DifferenceKind::SearchIncomplete { index },
            index => DifferenceKind::SearchUnused { index },
        });
        missing.into_iter().chain(unused).collect()
    }
}
