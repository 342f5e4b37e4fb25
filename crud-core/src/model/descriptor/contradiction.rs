//! The reasons why two structs cannot have one table.

use super::{ColumnDescriptor, Descriptor, OnDelete, Operation, Reference, Role, Search, Uniqueness};
use crate::model::value::Kind;

/// The first contradiction between two structs of one table.
pub(super) fn contradiction(one: &Descriptor, other: &Descriptor) -> Option<String> {
    let (a, b, table) = (one.name, other.name, one.table);
    if one.view.is_some() || other.view.is_some() {
        return Some(format!(
            "{a} and {b} have one name in storage, `{table}`, and a view shares its own with none: give it another `table`"
        ));
    }
    let (one_key, other_key) = (one.key(), other.key());
    let is_same_part =
        |(one_part, other_part): (&usize, &usize)| is_same_column(&one.columns[*one_part], &other.columns[*other_part]);
    // A struct without a key only reads.
    let is_same_key = one.keyless
        || other.keyless
        || one_key.len() == other_key.len() && one_key.iter().zip(other_key).all(is_same_part);
    if !is_same_key {
        let names = |of: &Descriptor| {
            let names: Vec<String> = of.key().iter().map(|part| format!("`{}`", of.columns[*part].column)).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(" with ") }
        };
        let (one_key, other_key) = (names(one), names(other));
        return Some(format!(
            "{a} and {b} share the table `{table}`, and their keys are {one_key} and {other_key}: mark the same column with `id`"
        ));
    }
    let differs = |what: &str, of_one: bool, remedy: &str| {
        let (has, lacks) = if of_one { (a, b) } else { (b, a) };
        format!("{has} and {lacks} share the table `{table}`, and only {has} has {what}: {remedy}")
    };
    if one.soft_delete.is_some() != other.soft_delete.is_some() {
        let remedy = "the other would return deleted records, so give it to both";
        return Some(differs("`soft_delete`", one.soft_delete.is_some(), remedy));
    }
    if one.tenant.is_some() != other.tenant.is_some() {
        return Some(differs(
            "a field with `tenant`",
            one.tenant.is_some(),
            "the other would return every tenant's records, so give it to both",
        ));
    }
    let marks = [
        ("the deletion timestamp", one.soft_delete.map(|of| of.deleted_at), other.soft_delete.map(|of| of.deleted_at)),
        ("the tenant", one.tenant.map(|of| of.column), other.tenant.map(|of| of.column)),
    ];
    for (what, first, second) in marks {
        if let (Some(first), Some(second)) = (first, second) {
            let (first, second) = (&one.columns[first], &other.columns[second]);
            if !is_same_column(first, second) {
                let (first, second) = (first.column, second.column);
                return Some(format!(
                    "{a} and {b} share the table `{table}`, and {what} is the column `{first}` in one and `{second}` in the other"
                ));
            }
        }
    }
    let shared = || {
        one.columns
            .iter()
            .filter_map(|column| Some((column, other.columns.iter().find(|known| is_same_column(column, known))?)))
    };
    if let Some((column, known, what)) = shared().find_map(|(column, known)| {
        let what = of_columns(column, known).or_else(|| {
            let by = |of: &Descriptor, column: &ColumnDescriptor| {
                let by: &[usize] = column.references.map_or(&[], |reference| reference.by);
                by.iter().map(|column| of.columns[*column].column.to_lowercase()).collect::<Vec<_>>()
            };
            let differs = by(one, column) != by(other, known);
            differs.then(|| "their references are of other columns: give both the same `by(…)`".to_owned())
        });
        Some((column, known, what?))
    }) {
        let (field, known, name) = (column.name, known.name, column.column);
        return Some(format!("{a}.{field} and {b}.{known} are one column, `{table}`.`{name}`, and {what}"));
    }
    renamed(one, other).or_else(|| renamed(other, one)).or_else(|| {
        let (one_only, other_only) = (missing_group(one, other), missing_group(other, one));
        let of_one = one_only.is_some();
        let group = one_only.or(other_only)?;
        Some(differs(&format!("`unique({group})`"), of_one, "give it to both"))
    }).or_else(|| {
        let columns = |of: &Descriptor, search: Search| {
            let names = search.columns.iter().map(|column| of.columns[*column].column.to_lowercase());
            (names.collect::<Vec<_>>(), search.language)
        };
        let (first, second) = (one.search?, other.search?);
        (columns(one, first) != columns(other, second)).then(|| {
            format!("{a} and {b} share the table `{table}`, and a table has one index of words: give both the same `search(…)`")
        })
    })
}

/// The contradiction between two fields of one column.
fn of_columns(one: &ColumnDescriptor, other: &ColumnDescriptor) -> Option<String> {
    if one.kind != other.kind {
        return Some(match (one.kind, other.kind) {
            (Kind::Enum(_), Kind::Enum(_)) => "their enums have other texts: give both one enum".to_owned(),
            (one, other) => format!("one is {}, the other {}: give both one type", kind(one), kind(other)),
        });
    }
    if one.kind == Kind::Decimal && (one.precision, one.scale) != (other.precision, other.scale) {
        return Some("their `decimal` differs: give both the same".to_owned());
    }
    if (one.sql_type, one.format) != (other.sql_type, other.format) {
        return Some("their `sql_type` or `format` differ: give both the same".to_owned());
    }
    if one.nullable != other.nullable {
        return Some("only one is an `Option`: make both one, or none".to_owned());
    }
    if one.unique != other.unique {
        let attribute = |unique: Option<Uniqueness>| match unique {
            None => "not `unique`",
            Some(Uniqueness::All) => "`unique`",
            Some(Uniqueness::Active) => "`unique(active)`",
            Some(Uniqueness::Global) => "`unique(global)`",
        };
        let (one, other) = (attribute(one.unique), attribute(other.unique));
        return Some(format!("one is {one}, the other {other}: give both the same"));
    }
    let target = |reference: Option<Reference>| {
        reference.map(|reference| ((reference.target)().table, reference.on_delete, reference.unconstrained))
    };
    if target(one.references) != target(other.references) {
        let attribute = |reference: Option<(&str, OnDelete, bool)>| match reference {
            None => "refers to nothing".to_owned(),
            Some((table, _, true)) => format!("refers to `{table}` with `unconstrained`"),
            Some((table, OnDelete::Restrict, _)) => format!("refers to `{table}`"),
            Some((table, OnDelete::Cascade, _)) => format!("refers to `{table}` with `cascade`"),
            Some((table, OnDelete::SetNull, _)) => format!("refers to `{table}` with `set_null`"),
        };
        let (one, other) = (attribute(target(one.references)), attribute(target(other.references)));
        return Some(format!("one {one}, the other {other}: give both the same `references`"));
    }
    match (one.renamed_from, other.renamed_from) {
        (Some(one), Some(other)) if !one.eq_ignore_ascii_case(other) => {
            Some(format!("one was renamed from `{one}`, the other from `{other}`: give both the same `renamed_from`"))
        }
        _ => None,
    }
}

/// A column that one struct renames, and the other still has.
fn renamed(one: &Descriptor, other: &Descriptor) -> Option<String> {
    one.columns.iter().find_map(|column| {
        let from = column.renamed_from?;
        let still = other.columns.iter().find(|known| known.column.eq_ignore_ascii_case(from))?;
        let (a, b, field, still, to) = (one.name, other.name, column.name, still.name, column.column);
        Some(format!(
            "{a}.{field} renames the column `{from}` of the table `{}`, which {b}.{still} still has: write `column = \"{from}\"` \
             for {a}.{field}, or `column(\"{to}\", renamed_from = \"{from}\")` for {b}.{still}",
            one.table
        ))
    })
}

/// The fields of a unique constraint that the other struct has too, without the constraint.
fn missing_group(one: &Descriptor, other: &Descriptor) -> Option<String> {
    one.uniques.iter().find_map(|group| {
        let own = |of: &Descriptor, columns: &[usize]| {
            let mut names: Vec<String> =
                columns.iter().map(|column| of.columns[*column].column.to_lowercase()).collect();
            names.sort();
            names
        };
        let names = own(one, group.columns);
        let is_known =
            names.iter().all(|name| other.columns.iter().any(|column| column.column.eq_ignore_ascii_case(name)));
        let is_there =
            other.uniques.iter().any(|known| known.among == group.among && own(other, known.columns) == names);
        let fields: Vec<&str> = group.columns.iter().map(|column| one.columns[*column].name).collect();
        (is_known && !is_there).then(|| fields.join(", "))
    })
}

/// A column of one struct without which the records of the other would be wrong.
pub(super) fn missing_value(one: &Descriptor, other: &Descriptor, has_defaults: bool) -> Option<String> {
    let (a, b, table) = (one.name, other.name, one.table);
    let own =
        one.columns.iter().enumerate().filter(|(_, column)| {
            column.is_stored() && !other.columns.iter().any(|known| is_same_column(column, known))
        });
    for (index, column) in own {
        let field = column.name;
        let begin = format!("{b} has the table `{table}` of {a}, and not its field `{field}`");
        let has_default = has_defaults && (column.constant_default().is_some() || column.database_default);
        if !column.nullable && !has_default && (other.creates() || !has_defaults) {
            return Some(if has_defaults {
                format!(
                    "{begin}, which no record can be without: make it an `Option`, give it a constant `default`, add it to {b}, \
                     or let {b} create none (`operations(except(create))`)"
                )
            } else {
                format!("{begin}, which this storage cannot fill in: make it an `Option`, or add it to {b}")
            });
        }
        let is_grouped = one.uniques.iter().any(|group| group.columns.contains(&index));
        if !has_defaults && (column.unique.is_some() || column.constraint().is_some() || is_grouped) {
            return Some(format!(
                "{begin}, whose uniqueness or reference this storage keeps by each struct: add it to {b}"
            ));
        }
    }
    None
}

impl Descriptor {
    /// Whether this struct creates records: over HTTP, or by the program where HTTP has no operation of the struct.
    #[doc(hidden)]
    pub fn creates(&self) -> bool {
        self.offers(Operation::Create)
            || self.offers(Operation::BatchCreate)
            || self.import.is_some()
            || !self.is_offered() && self.view.is_none() && !self.keyless
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "a `bool`",
        Kind::I16 => "an `i16`",
        Kind::I32 => "an `i32`",
        Kind::I64 => "an `i64`",
        Kind::U32 => "a `u32`",
        Kind::F32 => "an `f32`",
        Kind::F64 => "an `f64`",
        Kind::Text => "a text",
        Kind::DateTime => "a `DateTime<Utc>`",
        Kind::Date => "a `NaiveDate`",
        Kind::Time => "a `NaiveTime`",
        Kind::NaiveDateTime => "a `NaiveDateTime`",
        Kind::Uuid => "a `Uuid`",
        Kind::Decimal => "a `Decimal`",
        Kind::Json => "JSON",
        Kind::Bytes => "a `Vec<u8>`",
        Kind::TextList => "a `Vec<String>`",
        Kind::List(_) => "a list",
        Kind::Enum(_) => "an enum",
    }
}

/// Whether two fields have one column; the computed `is_deleted` has none.
pub(super) fn is_same_column(one: &ColumnDescriptor, other: &ColumnDescriptor) -> bool {
    match (one.role == Role::IsDeleted, other.role == Role::IsDeleted) {
        (false, false) => one.column.eq_ignore_ascii_case(other.column),
        (one, other) => one && other,
    }
}
