//! [`SeenPlans`]: logs each index once that the plan of a statement uses.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, Statement, StatementStatus};

use crate::catalogue::unused_tables::COUNT;
use crate::sqlite::embedded::reads::long_statements::StatementHash;

/// Maximum number of statements whose plans are looked at: texts differ by filters and order.
const MAX_STATEMENTS: usize = 10_000;

/// Statements that find records.
const VERBS: [&str; 5] = ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE"];

/// The indexes that plans of statements used. SQLite itself does not count uses of indexes.
#[derive(Debug, Default)]
pub(in crate::sqlite::embedded) struct SeenPlans(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    statements: HashSet<StatementHash>,
    indexes: HashSet<String>,
}

impl SeenPlans {
    /// Looks at the plan of a newly prepared statement, unless any connection has seen it before. Statements in a
    /// connection's cache take no lock.
    pub(in crate::sqlite::embedded) fn notice(&self, sqlite: &Connection, statement: &Statement<'_>, text: &str) {
        let finds_records = VERBS.iter().any(|verb| text.starts_with(verb)) && !text.starts_with(COUNT);
        if finds_records && statement.get_status(StatementStatus::Run) == 0 {
            self.look_at(sqlite, text);
        }
    }

    fn look_at(&self, sqlite: &Connection, text: &str) {
        let key = StatementHash::of(text);
        {
            let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let is_full = seen.statements.len() > MAX_STATEMENTS;
            if is_full || !seen.statements.insert(key) {
                return;
            }
            if seen.statements.len() > MAX_STATEMENTS {
                tracing::info!(target: "crud_runtime::index_use", "index use is no longer recorded");
                return;
            }
        }
        // Plans that cannot be read are looked at when the statement is prepared again.
        let plan = indexes_of(sqlite, text);
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match plan {
            Ok(indexes) => {
                for index in indexes {
                    if !seen.indexes.contains(&index) {
                        tracing::info!(target: "crud_runtime::index_use", index, "index used");
                        seen.indexes.insert(index);
                    }
                }
            }
            Err(_) => drop(seen.statements.remove(&key)),
        }
    }
}

/// The named indexes in a statement's plan, such as `ix_products__price` in `SEARCH products USING COVERING INDEX
/// ix_products__price (price>?)`. Automatic indexes and those of virtual tables have no name.
fn indexes_of(sqlite: &Connection, text: &str) -> rusqlite::Result<Vec<String>> {
    let mut indexes = Vec::new();
    for line in plan_of(sqlite, text)? {
        let named = [" USING INDEX ", " USING COVERING INDEX "].into_iter().find_map(|words| line.split_once(words));
        let index = named.map(|(_, rest)| rest.split(" (").next().unwrap_or(rest));
        indexes.extend(index.filter(|index| !index.starts_with("sqlite_autoindex_")).map(str::to_owned));
    }
    Ok(indexes)
}

/// The lines of a statement's plan.
pub(in crate::sqlite::embedded) fn plan_of(sqlite: &Connection, text: &str) -> rusqlite::Result<Vec<String>> {
    let mut plan = sqlite.prepare(&format!("EXPLAIN QUERY PLAN {text}"))?;
    plan.raw_query().mapped(|row| row.get(3)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_name_their_indexes() {
        let sqlite = Connection::open_in_memory().unwrap();
        sqlite
            .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b); CREATE INDEX ix_a ON t (a); CREATE INDEX \"ix b\" ON t (b)")
            .unwrap();
        let indexes = |text| indexes_of(&sqlite, text).unwrap();
        assert_eq!(indexes("SELECT * FROM t WHERE a = ?1"), ["ix_a"]);
        assert_eq!(indexes("SELECT b FROM t ORDER BY b"), ["ix b"]);
        assert!(indexes("SELECT * FROM t WHERE id = 1").is_empty());
        assert!(indexes("UPDATE t SET a = 1").is_empty());
        assert!(indexes("SELECT name FROM pragma_table_list('t')").is_empty(), "a virtual table");
        let automatic =
            "SELECT * FROM (SELECT a + b AS c FROM t LIMIT 9) JOIN (SELECT a + b AS d FROM t LIMIT 9) ON c = d";
        assert!(indexes(automatic).is_empty(), "an automatic index");
        let seen = SeenPlans::default();
        let text = "SELECT a FROM t WHERE b = ?1";
        seen.notice(&sqlite, &sqlite.prepare(text).unwrap(), text);
        assert_eq!(seen.0.lock().unwrap().indexes.iter().collect::<Vec<_>>(), ["ix b"]);
        let (seen, count) = (SeenPlans::default(), format!("{COUNT}t LIMIT 1) AS counted"));
        assert!(!indexes_of(&sqlite, &count).unwrap().is_empty(), "a count has an index in its plan");
        seen.notice(&sqlite, &sqlite.prepare(&count).unwrap(), &count);
        assert!(seen.0.lock().unwrap().indexes.is_empty(), "that says nothing about lists");
    }
}
