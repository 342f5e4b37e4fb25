//! The parameter `sort`: `-price,name`.

use crud_shared::spelling;

use super::parser::{Parser, error_at};
use crate::model::descriptor::{ColumnDescriptor, SortKey};
use crate::model::scalar;

impl Parser<'_> {
    pub(super) fn read_sort<'v>(&mut self, names: impl Iterator<Item = &'v str>) {
        let mut keys = Vec::<SortKey>::new();
        let sortable: Vec<&str> = self.sortable_fields().map(|(_, column)| column.json).collect();
        let within = self.within.as_deref();
        for part in names {
            let (name, descending) = part.strip_prefix('-').map_or((part, false), |name| (name, true));
            let found = self.sortable_fields().find(|(_, column)| column.json == name).map(|(index, _)| index);
            match found {
                None => {
                    let legal = || sortable.iter().copied();
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
        self.sort = Some(keys);
    }

    /// The fields that the client can sort by, with their indexes.
    pub(super) fn sortable_fields(&self) -> impl Iterator<Item = (usize, &'static ColumnDescriptor)> {
        self.view.returned(self.resource).filter(|(_, column)| column.sortable)
    }
}

fn unknown_sort_field<'a>(legal: impl Iterator<Item = &'a str>, name: &str, hint: &str) -> String {
    let legal = scalar::listed(legal);
    if name.is_empty() {
        return format!("must name a field; sortable fields are {legal}");
    }
    format!("`{name}` is not sortable; sortable fields are {legal}{hint}")
}
