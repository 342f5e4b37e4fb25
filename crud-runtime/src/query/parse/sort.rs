//! The parameter `sort`: `-price,name`.

use crud_shared::spelling;

use super::parser::Parser;
use crate::model::descriptor::{ColumnDescriptor, SortKey};
use crate::model::scalar;

impl Parser<'_> {
    pub(super) fn read_sort(&mut self, value: &str) {
        let mut keys = Vec::<SortKey>::new();
        for part in value.split(',') {
            let (name, descending) = part.strip_prefix('-').map_or((part, false), |name| (name, true));
            let found = self.sortable_fields().find(|(_, column)| column.json == name).map(|(index, _)| index);
            match found {
                None => {
                    let names: Vec<&str> = self.sortable_fields().map(|(_, column)| column.json).collect();
                    self.reject("sort", "unknown_field", unknown_sort_field(&names, value, name));
                }
                Some(column) if keys.iter().any(|key| key.column == column) => {
                    self.reject("sort", "duplicate", format!("`{name}` is given twice"));
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

fn unknown_sort_field(sortable: &[&str], value: &str, name: &str) -> String {
    let names = || sortable.iter().copied();
    let legal = scalar::listed(names());
    if value.is_empty() {
        return format!("must name a field; sortable fields are {legal}");
    }
    let hint = scalar::did_you_mean(spelling::nearest(name, names()));
    format!("`{name}` is not sortable; sortable fields are {legal}{hint}")
}
