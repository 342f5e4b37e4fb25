//! The parameter `sort`: `-price,name`, and by fields of records that fields refer to: `category.name`.

use crud_shared::spelling;

use super::parser::{Parser, error_at};
use crate::model::descriptor::{ColumnDescriptor, SortKey};
use crate::model::scalar;
use crate::query::JoinedColumn;

impl Parser<'_> {
    pub(super) fn read_sort<'v>(&mut self, names: impl Iterator<Item = &'v str>) {
        let mut keys = Vec::<SortKey>::new();
        let mut joined = Vec::<JoinedColumn>::new();
        let sortable = self.sortable_names();
        let within = self.within.as_deref();
        for part in names {
            let (name, descending) = part.strip_prefix('-').map_or((part, false), |name| (name, true));
            let own = self.sortable_fields().find(|(_, column)| column.json == name).map(|(index, _)| index);
            let found = own.or_else(|| {
                let column = self.joined_column(name)?;
                let known = joined.iter().position(|known| *known == column);
                let index = known.unwrap_or_else(|| {
                    joined.push(column);
                    joined.len() - 1
                });
                Some(self.resource.columns.len() + index)
            });
            match found {
                None => {
                    let legal = || sortable.iter().map(|name| &**name);
                    let nearest = || spelling::nearest(name, legal()).map(str::to_owned);
                    self.errors.push_unknown(nearest, |hint| {
                        error_at(within, "sort", "unknown_field", unknown_sort_field(legal(), name, &hint))
                    });
                }
                Some(column) if keys.iter().any(|key| key.column == column) => {
                    let detail = || format!("`{name}` is given twice");
                    self.errors.push_with(|| error_at(within, "sort", "duplicate", detail()));
                }
                Some(column) => keys.push(SortKey::new(column, descending)),
            }
        }
        (self.sort, self.joined) = (Some(keys), joined);
    }

    /// The fields that the client can sort by, with their indexes.
    fn sortable_fields(&self) -> impl Iterator<Item = (usize, &'static ColumnDescriptor)> {
        self.view.returned(self.resource).filter(|(_, column)| column.sortable)
    }

    /// Whether there is anything that the client can sort by.
    pub(super) fn can_sort(&self) -> bool {
        self.sortable_fields().next().is_some() || self.sort_path_names().next().is_some()
    }

    fn sortable_names(&self) -> Vec<String> {
        self.sortable_fields().map(|(_, column)| column.json.to_owned()).chain(self.sort_path_names()).collect()
    }

    /// The names of the fields of other records that the client can sort by, such as `category.name`.
    fn sort_path_names(&self) -> impl Iterator<Item = String> {
        self.relation_paths(self.resource.sort_paths)
    }

    /// The field of another record that a name is of, if the client can sort by it. Where the client does not reach the
    /// record it is null, as of no record: the order tells nothing of it.
    fn joined_column(&self, name: &str) -> Option<JoinedColumn> {
        let (relation, field) = name.split_once('.')?;
        let reference = self.named_relation(relation)?;
        let (target, column) = self.known_path_of(self.resource.sort_paths, reference, field)?;
        Some(JoinedColumn::new(reference, target, column, self.reach.records(target)))
    }
}

fn unknown_sort_field<'a>(legal: impl Iterator<Item = &'a str>, name: &str, hint: &str) -> String {
    let legal = scalar::listed(legal);
    if name.is_empty() {
        return format!("must name a field; sortable fields are {legal}");
    }
    format!("`{name}` is not sortable; sortable fields are {legal}{hint}")
}
