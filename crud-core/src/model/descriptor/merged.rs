//! The description of a table of several structs, such as two versions of an API.

use super::contradiction::{contradiction, is_same_column, missing_value};
use super::{ColumnDescriptor, Descriptor, Literal, PartialIndex, Rule, Search, UniqueGroup};

/// A struct of a table, with the table's columns for its fields.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Part {
    #[doc(hidden)]
    pub resource: &'static Descriptor,
    #[doc(hidden)]
    pub columns: &'static [usize],
}

impl Part {
    /// Converts the struct's column indexes to the table's.
    #[doc(hidden)]
    pub fn columns_of(&self, own: &[usize]) -> Vec<usize> {
        own.iter().map(|column| self.columns[*column]).collect()
    }
}

impl Descriptor {
    /// The description of the table of several structs. `has_defaults`: whether storage fills in a column that an
    /// insert leaves out. The result is never freed: a program has few.
    ///
    /// # Errors
    /// The reason why the structs cannot have one table.
    #[doc(hidden)]
    pub fn merged(resources: &[&'static Self], has_defaults: bool) -> Result<&'static Self, String> {
        for (index, one) in resources.iter().enumerate() {
            for other in &resources[..index] {
                let reason = contradiction(other, one).or_else(|| missing_value(other, one, has_defaults));
                if let Some(reason) = reason.or_else(|| missing_value(one, other, has_defaults)) {
                    return Err(reason);
                }
            }
        }
        // The table has the key of a struct that has one.
        let mut resources = resources.to_vec();
        resources.sort_by_key(|resource| resource.keyless);
        let mut columns: Vec<ColumnDescriptor> = Vec::new();
        let parts = resources.iter().map(|&resource| {
            let start = columns.len();
            let positions = resource.columns.iter().map(|column| {
                match columns.iter().position(|known| is_same_column(known, column)) {
                    Some(position) => {
                        columns[position] = both(&columns[position], column);
                        position
                    }
                    None => {
                        columns.push(*column);
                        columns.len() - 1
                    }
                }
            });
            let part = Part { resource, columns: leaked(positions.collect()) };
            for reference in columns[start..].iter_mut().filter_map(|column| column.references.as_mut()) {
                reference.by = leaked(part.columns_of(reference.by));
            }
            part
        });
        let parts: Vec<Part> = parts.collect();
        let first = resources[0];
        let names: Vec<&str> = resources.iter().map(|resource| resource.name).collect();
        let mut uniques: Vec<UniqueGroup> = Vec::new();
        for part in &parts {
            for group in part.resource.uniques {
                let columns = part.columns_of(group.columns);
                let is_known = |known: &UniqueGroup| known.among == group.among && is_same_set(known.columns, &columns);
                if !uniques.iter().any(is_known) {
                    uniques.push(UniqueGroup { columns: leaked(columns), ..*group });
                }
            }
        }
        let partial = parts.iter().flat_map(|part| {
            let own = part.resource.partial_indexes.iter();
            own.map(|index| PartialIndex {
                columns: leaked(part.columns_of(index.columns)),
                some: part.columns[index.some],
            })
        });
        let search = parts.iter().find_map(|part| {
            let search = part.resource.search?;
            Some(Search { columns: leaked(part.columns_of(search.columns)), ..search })
        });
        let unmanaged = resources.iter().find(|resource| !resource.is_managed());
        let formers = resources.iter().flat_map(|resource| resource.formers).copied();
        let merged: &'static Self = Box::leak(Box::new(Self {
            name: names.join(" and ").leak(),
            ownership: unmanaged.unwrap_or(&first).ownership,
            has_database_collation: resources.iter().any(|resource| resource.has_database_collation),
            columns: leaked(columns),
            uniques: leaked(uniques),
            partial_indexes: leaked(partial.collect()),
            search,
            audit: resources.iter().find_map(|resource| resource.audit),
            formers: leaked(formers.collect()),
            parts: leaked(parts),
            ..first.clone()
        }));
        Ok(merged)
    }

    /// The struct whose creates leave this column of the table out.
    #[doc(hidden)]
    pub fn leaves_out(&self, column: usize) -> Option<&'static Self> {
        let mut parts = self.parts.iter();
        parts.find(|part| part.resource.creates() && !part.columns.contains(&column)).map(|part| part.resource)
    }
}

fn is_same_set(one: &[usize], other: &[usize]) -> bool {
    one.len() == other.len() && one.iter().all(|column| other.contains(column))
}

/// A column that has what both fields ask for.
fn both(one: &ColumnDescriptor, other: &ColumnDescriptor) -> ColumnDescriptor {
    ColumnDescriptor {
        filterable: one.filterable || other.filterable,
        sortable: one.sortable || other.sortable,
        indexed: one.indexed || other.indexed,
        default: one.default.or(other.default),
        database_default: one.database_default || other.database_default,
        backfill: one.backfill.or(other.backfill),
        renamed_from: one.renamed_from.or(other.renamed_from),
        rules: admitting_both(one.rules, other.rules),
        ..*one
    }
}

/// Rules for the database that admit each value that one of the structs' rules admits.
fn admitting_both(one: &'static [Rule], other: &'static [Rule]) -> &'static [Rule] {
    let rules = one.iter().filter_map(|rule| other.iter().find_map(|other| wider(rule, other)));
    leaked(rules.collect())
}

/// The wider rule of two of the same kind.
fn wider(one: &Rule, other: &Rule) -> Option<Rule> {
    let less = |one: &Literal, other: &Literal| number(*one).zip(number(*other)).map(|(one, other)| one <= other);
    Some(match (one, other) {
        (Rule::Min(a), Rule::Min(b)) => Rule::Min(if less(a, b)? { *a } else { *b }),
        (Rule::Max(a), Rule::Max(b)) => Rule::Max(if less(a, b)? { *b } else { *a }),
        (Rule::MinLength(a), Rule::MinLength(b)) => Rule::MinLength(*a.min(b)),
        (Rule::MaxLength(a), Rule::MaxLength(b)) => Rule::MaxLength(*a.max(b)),
        (Rule::OneOf(a), Rule::OneOf(b)) => {
            let more = b.iter().filter(|value| !a.contains(value));
            Rule::OneOf(leaked(a.iter().chain(more).copied().collect()))
        }
        _ => return None,
    })
}

#[allow(clippy::cast_precision_loss, reason = "bounds are compared")]
fn number(literal: Literal) -> Option<f64> {
    match literal {
        Literal::Int(number) => Some(number as f64),
        Literal::Float(number) => Some(number),
        Literal::Text(text) => text.parse().ok(),
    }
}

fn leaked<T>(values: Vec<T>) -> &'static [T] {
    if values.is_empty() { &[] } else { values.leak() }
}
