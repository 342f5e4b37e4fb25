//! The parameter `sort`: `-price,name`, and by fields of records that fields refer to: `category.name`.

use std::collections::HashSet;

use crud_shared::spelling;

use super::json::texts;
use super::parser::{Control, Group, Parser, error_at};
use crate::http::description::json_schema::Schema;
use crate::http::description::name::{Names, SORT_KEY};
use crate::http::description::operation_doc::ParameterObject;
use crate::http::description::relation::sort_names;
use crate::http::description::wording;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, SortKey};
use crate::model::scalar;
use crate::query::JoinedColumn;
use crate::store::mounted::options::ResourceOptions;

pub(super) static SORT: Control = Control {
    name: "sort",
    group: Group::Order,
    is_of: |parser| parser.can_sort(),
    read: |parser, values| parser.read_sort(values.iter().flat_map(|value| value.split(','))),
    read_member: |parser, value| match texts(value) {
        Some(keys) if keys.is_empty() => parser.reject("sort", "value", "must name a field"),
        Some(keys) => parser.read_sort(keys.into_iter()),
        None => parser.reject("sort", "type", "must be an array of strings"),
    },
    document: |options, takes, _| document(options, takes),
};

impl Parser<'_> {
    fn read_sort<'v>(&mut self, names: impl Iterator<Item = &'v str>) {
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
                Some(self.context.resource.columns.len() + index)
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
        self.context.view.returned(self.context.resource).filter(|(_, column)| column.sortable)
    }

    /// Whether there is anything that the client can sort by.
    fn can_sort(&self) -> bool {
        self.sortable_fields().next().is_some() || !self.sort_path_names().is_empty()
    }

    fn sortable_names(&self) -> Vec<String> {
        self.sortable_fields().map(|(_, column)| column.json.to_owned()).chain(self.sort_path_names()).collect()
    }

    /// The names of the fields of other records that the client can sort by, such as `category.name`.
    fn sort_path_names(&self) -> Vec<String> {
        self.relation_paths(self.context.resource.sort_paths)
    }

    /// The field of another record with this name, if the client can sort by it. It counts as null for a record that
    /// the client does not see, as for no record, so that the order reveals nothing.
    fn joined_column(&self, name: &str) -> Option<JoinedColumn> {
        let (relation, field) = name.split_once('.')?;
        let relation = self.named_relation(relation)?;
        let (target, column) = self.known_path_of(self.context.resource.sort_paths, relation, field)?;
        Some(JoinedColumn::new(relation.column, target, column, self.context.visibility.records(target)))
    }
}

fn unknown_sort_field<'a>(legal: impl Iterator<Item = &'a str>, name: &str, hint: &str) -> String {
    let legal = scalar::listed(legal);
    if name.is_empty() {
        return format!("must name a field; sortable fields are {legal}");
    }
    format!("`{name}` is not sortable; sortable fields are {legal}{hint}")
}

/// The parameter in the document.
fn document(options: &ResourceOptions, takes: &[Group]) -> Option<ParameterObject> {
    let descriptor = options.descriptor;
    let fields = sort_names(descriptor);
    if fields.is_empty() {
        return None;
    }
    let keys: Vec<String> = fields.iter().flat_map(|field| [field.clone(), format!("-{field}")]).collect();
    let order = default_order(descriptor);
    let has_order = !order.is_empty() && order.iter().all(|key| keys.contains(key));
    let mut items = Schema::choice(keys);
    // Names of the sort keys for generators: `-` is not allowed in identifiers.
    let names: Vec<String> = fields.iter().flat_map(|field| [constant(field), constant(field) + "_DESC"]).collect();
    if names.iter().collect::<HashSet<_>>().len() == names.len() {
        items.set("x-enum-varnames", names);
    }
    // The list is a component, not each key: openapi-generator's `go` has one constant for equal keys of two resources.
    let keys = Schema::array(items).with("minItems", 1);
    let mut schema = Schema::named(&Names::new(options).schema(SORT_KEY), keys);
    // openapi-generator's `go` writes the default of an export as code that does not compile.
    if takes.contains(&Group::Page) && has_order {
        schema.set("default", order);
    }
    let description = "The fields to sort by, each once, the most important first; `-` for descending. Nulls are first \
                       ascending and last descending. Ties are in the order of the key.";
    Some(ParameterObject::list("sort", description, schema))
}

/// The name as a constant, such as `CREATED_AT`.
fn constant(name: &str) -> String {
    wording::words(name).to_uppercase().replace(' ', "_")
}

fn default_order(descriptor: &Descriptor) -> Vec<String> {
    let keys = descriptor.default_sort.iter();
    keys.map(|key| format!("{}{}", if key.descending { "-" } else { "" }, descriptor.columns[key.column].json))
        .collect()
}
