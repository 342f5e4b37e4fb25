//! The text of a file that names a data migration.

/// Begin of its first line.
const DIRECTIVE: &str = "-- data-migration ";

/// Longest name of a migration.
const MAX_NAME: usize = 100;

/// The text of the file of a data migration.
pub(super) fn text(name: &str) -> String {
    format!(
        "{DIRECTIVE}{name}\n\
         -- The program runs it: `Service::data_migration(DataMigration::each(\"{name}\", …))`.\n\
         -- Other tools cannot, and stop at this statement:\n\
         SELECT run_by_the_program('{name}');\n"
    )
}

/// The name of the data migration in a file's text, if it names one.
pub(super) fn named(sql: &str) -> Option<&str> {
    sql.lines().next()?.strip_prefix(DIRECTIVE).map(str::trim)
}

/// Checks a name: it is part of a file's name and of statements.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let is_legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_legal) {
        return Ok(());
    }
    Err(format!("`{name}` is not the name of a migration: expected up to {MAX_NAME} of `a` to `z`, `0` to `9` and `_`"))
}
