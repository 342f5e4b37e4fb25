//! [`Plan`]: how a database executes a statement.

/// The parts of a statement's execution plan that explain why it is slow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Whether the database returned a plan.
    pub(super) is_known: bool,
    /// Whether the statement reads every record of a table.
    pub(super) scans: bool,
    /// Whether the statement sorts all matches for a page.
    pub(super) sorts: bool,
}

impl Plan {
    /// Parses the plan of SQLite's `EXPLAIN QUERY PLAN`.
    #[cfg(feature = "sqlite")]
    pub(super) fn of_sqlite(text: &str) -> Self {
        let scans = |line: &str| line.starts_with("SCAN ") && !line.contains(" INDEX ");
        Self { is_known: !text.is_empty(), scans: text.lines().any(scans), sorts: text.contains("USE TEMP B-TREE FOR") }
    }

    /// Parses the plan of PostgreSQL's `EXPLAIN`.
    #[cfg(feature = "postgres")]
    pub(super) fn of_postgres(text: &str) -> Self {
        let node = |name: &str| text.lines().any(|line| line.trim_start_matches([' ', '-', '>']).starts_with(name));
        Self {
            is_known: !text.is_empty(),
            scans: node("Seq Scan") || node("Parallel Seq Scan"),
            sorts: node("Sort ") || node("Incremental Sort"),
        }
    }

    /// Parses the plan of MySQL's and MariaDB's `EXPLAIN FORMAT = JSON`.
    #[cfg(feature = "mysql")]
    pub(super) fn of_mysql(text: &str) -> Self {
        let text: String = text.split_whitespace().collect();
        Self {
            is_known: !text.is_empty(),
            scans: text.contains(r#""access_type":"ALL""#),
            sorts: text.contains("filesort") && !text.contains(r#""using_filesort":false"#),
        }
    }

    /// Whether the statement finds its rows by an index, in their order.
    pub(super) const fn is_along_an_index(self) -> bool {
        self.is_known && !self.scans && !self.sorts
    }

    /// The plan in words.
    pub(super) const fn verdict(self) -> &'static str {
        match self {
            Self { is_known: false, .. } => "unknown",
            Self { scans: true, sorts: true, .. } => "reads every record and sorts the matches",
            Self { scans: true, .. } => "reads every record",
            Self { sorts: true, .. } => "sorts every match",
            _ => "along an index",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "sqlite")]
    #[test]
    fn plans_of_sqlite() {
        let sorted =
            "SEARCH products USING INDEX ix_products__category_id (category_id=?)\nUSE TEMP B-TREE FOR ORDER BY";
        assert_eq!(Plan::of_sqlite(sorted).verdict(), "sorts every match");
        assert_eq!(
            Plan::of_sqlite("SCAN products\nUSE TEMP B-TREE FOR ORDER BY").verdict(),
            "reads every record and sorts the matches"
        );
        assert_eq!(
            Plan::of_sqlite("SCAN products USING COVERING INDEX ix_products__price").verdict(),
            "along an index"
        );
        assert_eq!(Plan::of_sqlite("").verdict(), "unknown");
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn plans_of_postgresql() {
        let text = "Limit  (cost=1.0..2.0 rows=20 width=8)\n  ->  Sort  (cost=1.0..2.0 rows=20 width=8)\n        Sort Key: price\n        ->  Seq Scan on products  (cost=0.0..1.0 rows=20 width=8)";
        assert_eq!(Plan::of_postgres(text).verdict(), "reads every record and sorts the matches");
        let text = "Limit  (cost=1.0..2.0 rows=20 width=8)\n  ->  Index Scan using ix on products  (cost=0.0..1.0 rows=2 width=8)";
        assert_eq!(Plan::of_postgres(text).verdict(), "along an index");
    }

    #[cfg(feature = "mysql")]
    #[test]
    fn plans_of_mysql() {
        let text = r#"{"query_block": {"filesort": {"sort_key": "price"}, "table": {"access_type": "ALL"}}}"#;
        assert_eq!(Plan::of_mysql(text).verdict(), "reads every record and sorts the matches");
        let text =
            r#"{"query_block": {"ordering_operation": {"using_filesort": false, "table": {"access_type": "ref"}}}}"#;
        assert_eq!(Plan::of_mysql(text).verdict(), "along an index");
    }
}
