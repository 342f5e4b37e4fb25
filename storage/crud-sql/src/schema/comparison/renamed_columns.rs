//! Columns that have the name that they had before: how a table looks once they are renamed.

use crate::catalogue::table::Table;
use crate::dialect::Dialect;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::ddl::stored_columns;
use crate::schema::folded::name_of;
use crate::sql_parts::{is_word, parts};

/// A column that is there by its former name, and not by its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Renamed {
    pub(crate) column: &'static ColumnDescriptor,
    pub(crate) from: &'static str,
}

/// Gives the columns of a table the names that the resource wants; returns them in an order in which each name is free when
/// it is given. Where both columns are there, or neither, nothing is renamed.
pub(crate) fn apply<D: Dialect>(resource: &'static Descriptor, table: &mut Table) -> Vec<Renamed> {
    let is_same = D::TABLES.is_same_name;
    let has = |name: &str| table.columns.iter().any(|present| is_same(&present.name, name));
    let named = stored_columns(resource).filter_map(|column| Some(Renamed { column, from: column.renamed_from? }));
    let mut remaining: Vec<Renamed> = named.filter(|one| has(one.from)).collect();
    let mut found: Vec<Renamed> = Vec::new();
    // The column that has a name gets another one before it is given again.
    let is_free = |found: &[Renamed], name: &str| !has(name) || found.iter().any(|freed| is_same(freed.from, name));
    while let Some(next) = remaining.iter().position(|one| is_free(&found, one.column.column)) {
        found.push(remaining.remove(next));
    }
    for Renamed { column, from } in &found {
        let to = column.column;
        let generated = name_of::<D>;
        let renamed = |name: &mut String| {
            if is_same(name, from) {
                to.clone_into(name);
            } else if D::TABLES.folded.is_none() && is_same(name, &generated(from)) {
                *name = generated(to);
            }
        };
        table.columns.iter_mut().for_each(|column| renamed(&mut column.name));
        for index in &mut table.indexes {
            index.columns.iter_mut().filter_map(|column| column.name.as_mut()).for_each(renamed);
            index.partial = index.partial.as_ref().map(|condition| text(condition, &[(from, to)], str::to_owned));
        }
        for key in &mut table.foreign_keys {
            key.columns.iter_mut().for_each(|(from, _)| renamed(from));
        }
    }
    found
}

/// The name that a column has before these are renamed.
pub(crate) fn former<'n, D: Dialect>(renamed: &[Renamed], name: &'n str) -> &'n str {
    let is = |one: &&Renamed| (D::TABLES.is_same_name)(one.column.column, name);
    renamed.iter().find(is).map_or(name, |one| one.from)
}

/// SQL with other names: each identifier that is one of the first is replaced by the second. Texts stay. `bare`: one in the
/// place of a name without quotes, which may need them where the server leaves out those of the former one.
pub(crate) fn text(sql: &str, names: &[(&str, &str)], bare: impl Fn(&str) -> String) -> String {
    let new = |name: &str| names.iter().find(|(from, _)| from.eq_ignore_ascii_case(name)).map(|(_, to)| *to);
    let replaced = |part: &str| {
        let name = part.strip_prefix(['"', '`', '[']).and_then(|name| name.strip_suffix(['"', '`', ']']));
        match new(name.unwrap_or(part)) {
            Some(to) if name.is_some() => format!("{}{to}{}", &part[..1], &part[part.len() - 1..]),
            Some(to) if is_word(part) => bare(to),
            _ => part.to_owned(),
        }
    };
    parts(sql).map(replaced).collect()
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn identifiers_are_renamed_and_texts_stay() {
        let names = [("name", "title"), ("ix_books__name", "ix_books__title")];
        for (sql, expected) in [
            ("\"name\" IS NULL", "\"title\" IS NULL"),
            ("(char_length(name) <= 100)", "(char_length(title) <= 100)"),
            ("`NAME` IN ('name', 'it''s name')", "`title` IN ('name', 'it''s name')"),
            ("names = new.name AND [name] > 'name", "names = new.title AND [title] > 'name"),
            (
                "CREATE INDEX \"ix_books__name\" ON \"b\" (\"name\")",
                "CREATE INDEX \"ix_books__title\" ON \"b\" (\"title\")",
            ),
        ] {
            assert_eq!(text(sql, &names, str::to_owned), expected);
        }
    }
}
