//! [`Way`]: the way of applying a file, by what its statements allow.

use std::ops::Range;

use super::run::failed;
use crate::schema::migration_driver::MigrationDriver;
use crate::statements::statements;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::MigrationFile;

/// Reason to refuse a file of several statements that runs in no transaction.
const SEVERAL: &str = "`-- no-transaction` is for a file of one statement, which can be repeated when the process was \
                       killed: write a file for each";

/// Reason to refuse a file that ends its transaction.
const ENDS: &str = "the file runs in a transaction with the record that it was applied: it neither begins nor ends one";

/// Words that begin a statement which begins or ends a transaction.
const OF_TRANSACTIONS: [&str; 6] = ["BEGIN", "START", "COMMIT", "ROLLBACK", "ABORT", "END"];

/// Way of applying a file.
pub(super) enum Way {
    /// The statements in this range, in one transaction with their record.
    Whole(Range<usize>),
    /// As [`Whole`](Self::Whole), between pragmas that have no effect in a transaction.
    Rebuild(Range<usize>),
    /// Statement by statement, each recorded before and after: the database commits each by itself, or the only one cannot
    /// run in a transaction.
    Steps(Vec<Range<usize>>),
}

impl Way {
    /// The way of a file.
    ///
    /// # Errors
    /// [`MigrateError::Failed`] for a file that a kill could apply in part or twice.
    pub(super) fn of<D: MigrationDriver>(file: &MigrationFile) -> Result<Self, MigrateError> {
        let sql = &file.sql;
        if !D::TRANSACTIONAL_DDL {
            return Ok(Self::Steps(steps(sql)));
        }
        let (way, place) = match inside(sql, D::FRAME) {
            Some(place) => (Self::Rebuild as fn(_) -> _, place),
            None if file.in_transaction => (Self::Whole as fn(_) -> _, 0..sql.len()),
            None => match statements(sql, false) {
                one if one.len() == 1 => return Ok(Self::Steps(one)),
                _ => return Err(failed(file, SEVERAL)),
            },
        };
        if ends_transaction(&sql[place.clone()]) { Err(failed(file, ENDS)) } else { Ok(way(place)) }
    }
}

/// The statements of a file between those of its frame, if it has one.
fn inside(sql: &str, (before, after): (&str, &str)) -> Option<Range<usize>> {
    let end = sql.trim_end().strip_suffix(after)?.len();
    (!before.is_empty() && sql.starts_with(before)).then_some(before.len()..end)
}

/// Whether a statement begins or ends a transaction. `END` ends the body of a trigger too.
fn ends_transaction(sql: &str) -> bool {
    let mut in_body = false;
    statements(sql, false).into_iter().any(|place| {
        let statement = &sql[place];
        in_body |= has_body(statement);
        let word = first_word(statement);
        OF_TRANSACTIONS.iter().any(|one| word.eq_ignore_ascii_case(one))
            && !(in_body && word.eq_ignore_ascii_case("END"))
    })
}

/// The statements of a file for MySQL. A trigger or a procedure extends to the end of its file: its body has semicolons.
pub(crate) fn steps(sql: &str) -> Vec<Range<usize>> {
    let mut all = statements(sql, true);
    if let Some(index) = all.iter().position(|place| has_body(&sql[place.clone()])) {
        let last = all.last().map_or(sql.len(), |last| last.end);
        all[index].end = last;
        all.truncate(index + 1);
    }
    all
}

/// Whether a statement creates something that has a body of statements.
fn has_body(statement: &str) -> bool {
    let mut words = statement.split_whitespace().map(str::to_ascii_uppercase).take(8);
    words.next().is_some_and(|word| word == "CREATE")
        && words.any(|word| ["TRIGGER", "PROCEDURE", "FUNCTION", "EVENT"].contains(&&*word))
}

/// The first word of a statement.
pub(super) fn first_word(statement: &str) -> &str {
    statement.split(|character: char| !character.is_ascii_alphabetic()).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_of_a_frame_are_found_by_both_ends() {
        let frame = ("-- begin\n", "-- end");
        assert_eq!(inside("-- begin\nSELECT 1;\n-- end\n", frame), Some(9..19));
        assert_eq!(inside("-- begin\nSELECT 1;\n", frame), None);
        assert_eq!(inside("SELECT 1;", ("", "")), None);
    }

    #[test]
    fn statements_of_transactions_are_found_by_their_first_word() {
        for sql in ["commit", "SELECT 1; BEGIN IMMEDIATE", "Start x", "-- a\nEND;", "ABORT"] {
            assert!(ends_transaction(sql), "{sql}");
        }
        let trigger = "CREATE TRIGGER a AFTER INSERT ON b BEGIN DELETE FROM c; END;";
        for sql in ["CREATE TABLE commit (a)", "committed", "SELECT 'a; COMMIT'", trigger] {
            assert!(!ends_transaction(sql), "{sql}");
        }
        assert!(ends_transaction(&format!("{trigger} COMMIT")));
    }

    #[test]
    fn body_of_several_statements_is_one_step() {
        let sql = "SELECT 1; CREATE DEFINER = a TRIGGER b BEGIN x; y; END; SELECT 2;";
        let texts: Vec<&str> = steps(sql).into_iter().map(|place| &sql[place]).collect();
        assert_eq!(texts, ["SELECT 1", "CREATE DEFINER = a TRIGGER b BEGIN x; y; END; SELECT 2"]);
    }
}
