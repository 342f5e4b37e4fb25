//! [`MigrationLoss`]: a table or column that the down file of a migration drops.

use std::fmt;

use crate::storage::migrations::LOSES;
use crud_sql::text::{is_blank, parts_of_script, statements, unquoted};

/// A table or a column that a down file drops, with its records.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MigrationLoss {
    /// The table.
    pub table: String,
    /// The column; `None` for the whole table.
    pub column: Option<String>,
    /// The number of the records that the table has, or of those with a value in the column.
    pub records: u64,
}

/// ``table `books` with 7 records``, ``the column `isbn` of `books` with 7 values``.
impl fmt::Display for MigrationLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, column, records } = self;
        let s = if *records == 1 { "" } else { "s" };
        match column {
            Some(column) => write!(f, "the column `{column}` of `{table}` with {records} value{s}"),
            None => write!(f, "the table `{table}` with {records} record{s}"),
        }
    }
}

/// The tables and columns that the statements of a file drop for good.
pub(super) fn dropped(sql: &str) -> Vec<(String, Option<String>)> {
    let texts: Vec<&str> = statements(sql, false).into_iter().map(|place| &sql[place]).collect();
    let all: Vec<Vec<Word<'_>>> = texts.iter().map(|text| words(text)).collect();
    // A rebuild drops the table, and renames the new one.
    let renamed =
        |table: &str| all.iter().any(|words| renamed_to(words).is_some_and(|to| to.eq_ignore_ascii_case(table)));
    let mut found = Vec::new();
    for words in &all {
        found.extend(lost_tables(words, renamed).into_iter().map(|table| (table.to_owned(), None)));
        if let Some((table, rest)) = after(words, &["ALTER", "TABLE"]).and_then(|rest| name(after_if_exists(rest))) {
            let dropped = (0..rest.len()).filter_map(|index| dropped_column(&rest[index..]));
            found.extend(dropped.map(|column| (table.to_owned(), Some(column.text.clone()))));
        }
    }
    for names in sql.lines().filter_map(|line| line.strip_prefix(LOSES)) {
        if let [table, _, column, ..] = words(names).as_slice() {
            found.push((table.text.clone(), Some(column.text.clone())));
        }
    }
    found
}

/// Words that end the names of the tables in a `DELETE`.
const ENDS_OF_NAMES: [&str; 5] = ["WHERE", "USING", "ORDER", "LIMIT", "RETURNING"];

/// The tables that a statement drops or empties. A dropped one that is `renamed` is made anew.
fn lost_tables<'w>(words: &'w [Word<'_>], renamed: impl Fn(&str) -> bool) -> Vec<&'w str> {
    if let Some(tables) = after(words, &["DROP", "TABLE"]) {
        return names(after_if_exists(tables)).filter(|table| !renamed(table) && !is_derived(table)).collect();
    }
    if let Some(rest) = after(words, &["DELETE", "FROM"]) {
        let end = rest.iter().position(|word| ENDS_OF_NAMES.iter().any(|end| word.is(end)));
        return names(&rest[..end.unwrap_or(rest.len())]).filter(|table| !is_derived(table)).collect();
    }
    let emptied = after(words, &["TRUNCATE", "TABLE"]).or_else(|| after(words, &["TRUNCATE"]));
    emptied.map(|tables| names(tables).collect()).unwrap_or_default()
}

/// The names of tables with commas between them.
fn names<'w>(words: &'w [Word<'_>]) -> impl Iterator<Item = &'w str> {
    words.split(|word| word.is(",")).filter_map(name).map(|(table, _)| table)
}

/// Words after `DROP` in `ALTER TABLE` that begin the name of something else than a column.
const NO_COLUMN: [&str; 12] = [
    "CHECK",
    "CONSTRAINT",
    "DEFAULT",
    "EXPRESSION",
    "FOREIGN",
    "IDENTITY",
    "INDEX",
    "KEY",
    "NOT",
    "PARTITION",
    "PERIOD",
    "PRIMARY",
];

/// The column that `DROP COLUMN`, or `DROP` alone, drops, where the words begin with it.
fn dropped_column<'w, 'a>(words: &'w [Word<'a>]) -> Option<&'w Word<'a>> {
    if let Some(name) = after(words, &["DROP", "COLUMN"]) {
        return after_if_exists(name).first();
    }
    let name = after_if_exists(after(words, &["DROP"])?).first();
    name.filter(|name| !NO_COLUMN.iter().any(|other| name.is(other)))
}

/// The name of a table that words begin with, without that of its schema, and the words after it.
fn name<'w, 'a>(words: &'w [Word<'a>]) -> Option<(&'w str, &'w [Word<'a>])> {
    match words {
        [only, rest @ ..] if only.is("ONLY") => name(rest),
        [_, dot, rest @ ..] if dot.is(".") => name(rest),
        [table, rest @ ..] => Some((&table.text, rest)),
        [] => None,
    }
}

/// A name, a keyword, or a sign.
#[derive(Debug)]
struct Word<'a> {
    text: String,
    as_written: &'a str,
}

impl Word<'_> {
    /// Whether it is a keyword, and not a name in quotes.
    fn is(&self, keyword: &str) -> bool {
        self.as_written.eq_ignore_ascii_case(keyword)
    }
}

/// The words of a statement.
fn words(text: &str) -> Vec<Word<'_>> {
    let word = |part| Word { text: unquoted(part).unwrap_or_else(|| part.to_owned()), as_written: part };
    parts_of_script(text, false).filter(|part| !is_blank(part)).map(word).collect()
}

/// The words after these keywords, where they begin with those.
fn after<'w, 'a>(words: &'w [Word<'a>], keywords: &[&str]) -> Option<&'w [Word<'a>]> {
    let (first, rest) = words.split_at_checked(keywords.len())?;
    first.iter().zip(keywords).all(|(word, keyword)| word.is(keyword)).then_some(rest)
}

fn after_if_exists<'w, 'a>(words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    after(words, &["IF", "EXISTS"]).unwrap_or(words)
}

/// The name that a statement gives a table.
fn renamed_to<'w>(words: &'w [Word<'_>]) -> Option<&'w str> {
    let (_, rest) = after(words, &["ALTER", "TABLE"])?.split_first()?;
    match after(rest, &["RENAME", "TO"])? {
        [name] => Some(&name.text),
        _ => None,
    }
}

/// Whether a table is an index of words, what a script checks by, or the greatest keys of SQLite: derived from others.
fn is_derived(table: &str) -> bool {
    matches!(table, "unknown" | "dangling" | "sqlite_sequence")
        || table.strip_prefix("search_").and_then(|rest| rest.get(..9)).is_some_and(|hash| hash.ends_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_for_good_is_found() {
        let table = |name: &str| (name.to_owned(), None);
        let column = |table: &str, name: &str| (table.to_owned(), Some(name.to_owned()));
        for (sql, expected) in [
            ("DROP TABLE \"a\";\nDROP TABLE IF EXISTS `b`; -- DROP TABLE c;", vec![table("a"), table("b")]),
            ("DROP TABLE `a b`, c CASCADE", vec![table("a b"), table("c")]),
            (
                "ALTER TABLE a DROP CONSTRAINT c, DROP COLUMN `d`, DROP COLUMN e;",
                vec![column("a", "d"), column("a", "e")],
            ),
            ("ALTER TABLE \"a\"\"b\" DROP COLUMN IF EXISTS \"c\"", vec![column("a\"b", "c")]),
            ("DROP TABLE `a`;\nALTER TABLE `a_new` RENAME TO `a`;\nDROP TABLE `search_0123abcd_a`", vec![]),
            ("-- Loses the values of `a`.`b`.\nDROP INDEX c;", vec![column("a", "b")]),
            ("INSERT INTO a VALUES ('x; DROP TABLE b')", vec![]),
            ("ALTER TABLE a DROP b, DROP IF EXISTS \"index\";", vec![column("a", "b"), column("a", "index")]),
            (
                "ALTER TABLE a ALTER COLUMN b DROP NOT NULL, ALTER c DROP DEFAULT, DROP INDEX d, DROP PRIMARY KEY",
                vec![],
            ),
            ("ALTER TABLE ONLY public.\"a\" DROP COLUMN b", vec![column("a", "b")]),
            ("DROP TABLE IF EXISTS shop.`a`, \"b\".\"c\" RESTRICT", vec![table("a"), table("c")]),
            ("TRUNCATE a, public.b RESTART IDENTITY; TRUNCATE TABLE c", vec![table("a"), table("b"), table("c")]),
            ("DELETE FROM a WHERE b = 1; DELETE FROM sqlite_sequence WHERE name = 'a'", vec![table("a")]),
            ("DELETE FROM a ORDER BY b, c LIMIT 1; DELETE FROM d RETURNING e, f", vec![table("a"), table("d")]),
            ("DELETE FROM a, b USING a JOIN b ON a.c = b.c", vec![table("a"), table("b")]),
            ("DELETE FROM a; ALTER TABLE b RENAME TO a", vec![table("a")]),
            ("TRUNCATE a; ALTER TABLE b RENAME TO a", vec![table("a")]),
        ] {
            assert_eq!(dropped(sql), expected, "{sql}");
        }
    }
}
