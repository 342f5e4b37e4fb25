//! Facts of tables, from the catalogue of MariaDB and MySQL.

use sqlx::mysql::MySqlConnection;

use super::catalogue::{Statement, get, is, of_tables};
use crate::column_names::column_names;
use crate::facts::{Collected, unique};
use crate::storage::facts::{ColumnFacts, TableFacts, TriggerFacts};

/// The facts of these tables, of each that is there. A user without the privilege TRIGGER sees no triggers.
pub(super) async fn facts(
    connection: &mut MySqlConnection,
    tables: Vec<&'static str>,
) -> sqlx::Result<Vec<TableFacts>> {
    const COLUMNS: Statement = |of| {
        format!(
            "COLUMN_NAME, \
            IF(COLLATION_NAME IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin'), NULL, COLLATION_NAME), IS_NULLABLE = 'YES', \
            COALESCE(COLUMN_DEFAULT, 'NULL') <> 'NULL' OR EXTRA LIKE '%auto_increment%' OR EXTRA LIKE '%DEFAULT_GENERATED%', \
            COALESCE(GENERATION_EXPRESSION, ''), VERSION() LIKE '%MariaDB%' FROM information_schema.COLUMNS WHERE {}",
            of.condition("TABLE_SCHEMA", "TABLE_NAME")
        )
    };
    const TRIGGERS: Statement = |of| {
        format!(
            "TRIGGER_NAME, EVENT_MANIPULATION <> 'DELETE', ACTION_TIMING = 'BEFORE' FROM information_schema.TRIGGERS WHERE {}",
            of.condition("EVENT_OBJECT_SCHEMA", "EVENT_OBJECT_TABLE")
        )
    };
    // MySQL has expressions too.
    const UNIQUES: Statement = |of| {
        format!(
            "INDEX_NAME, COALESCE(COLUMN_NAME /*!80013 , EXPRESSION */), COLUMN_NAME IS NULL, \
            CAST(SEQ_IN_INDEX AS SIGNED) FROM information_schema.STATISTICS WHERE {} AND NON_UNIQUE = 0",
            of.condition("TABLE_SCHEMA", "TABLE_NAME")
        )
    };
    let mut found = Collected::default();
    // The generated columns, with those that they are computed from.
    let mut generated: Vec<(&str, String, Vec<String>)> = Vec::new();
    for (place, row) in of_tables(connection, COLUMNS, "", &tables).await? {
        let mut column = ColumnFacts::new(get::<String>(&row, 1)?);
        column.collation = get(&row, 2)?;
        let expression: String = get(&row, 5)?;
        (column.nullable, column.has_default, column.is_generated) =
            (is(&row, 3)?, is(&row, 4)?, !expression.is_empty());
        if column.is_generated {
            generated.push((tables[place], column.name.clone(), column_names(&expression)));
        }
        let table = found.table(tables[place]);
        // MariaDB has `INSERT … RETURNING`; MySQL knows the number that it assigned last.
        table.returns_keys = is(&row, 6)?;
        table.columns.push(column);
    }
    for (place, row) in of_tables(connection, TRIGGERS, "", &tables).await? {
        let mut trigger = TriggerFacts::new(get::<String>(&row, 1)?);
        // A trigger after the statement cannot change its table.
        trigger.changes = is(&row, 2)? && is(&row, 3)?;
        trigger.changes_returned = trigger.changes;
        found.table(tables[place]).triggers.push(trigger);
    }
    for (place, row) in of_tables(connection, UNIQUES, ", 2, 5", &tables).await? {
        let (index, part): (String, String) = (get(&row, 1)?, get(&row, 2)?);
        let names = if is(&row, 3)? { column_names(&part) } else { vec![part] };
        unique(found.table(tables[place]), &index).columns.extend(names);
    }
    let mut found = found.finish();
    for TableFacts { table, uniques, .. } in &mut found {
        let sources = |column: &String| {
            let found = generated.iter().find(|(of, name, _)| *of == table.as_str() && name == column);
            found.map(|(_, _, sources)| sources.as_slice())
        };
        for unique in uniques {
            // An index of generated columns alone is one of an expression, which MariaDB's indexes do not have.
            let sources: Option<Vec<&[String]>> = unique.columns.iter().map(sources).collect();
            unique.columns.extend(sources.into_iter().flatten().flatten().cloned());
        }
    }
    Ok(found)
}
