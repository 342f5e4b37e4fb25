//! The parts of the types of columns, for structs that are written for a table.

use crud_shared::catalogue::ColumnType;
use crud_shared::declared::Declared;
use sqlx::mysql::{MySqlConnection, MySqlRow};

use super::statement::{Statement, get, rows};
use crate::catalogue::table::{Column, Table, fill};
use crate::sql_parts::{parts_of_script, text};

/// Adds the parts of types to the columns of tables.
pub(super) async fn add_types(
    connection: &mut MySqlConnection,
    names: &[&str],
    tables: &mut [Option<Table>],
) -> sqlx::Result<()> {
    fill(tables, json_columns(connection, names).await?, |table, json| {
        for column in &mut table.columns {
            let is_json = json.iter().flatten().any(|name| *name == column.name);
            column.ty = column_type(column, is_json);
        }
    });
    Ok(())
}

/// The columns that a CHECK keeps as JSON, which MariaDB has no type for.
async fn json_columns(connection: &mut MySqlConnection, names: &[&str]) -> sqlx::Result<Vec<Vec<Option<String>>>> {
    const CHECKS: Statement = |of| {
        format!(
            "c.CHECK_CLAUSE FROM information_schema.TABLE_CONSTRAINTS t JOIN information_schema.CHECK_CONSTRAINTS c \
            ON c.CONSTRAINT_SCHEMA = t.CONSTRAINT_SCHEMA AND c.CONSTRAINT_NAME = t.CONSTRAINT_NAME \
            /*M! AND c.TABLE_NAME = t.TABLE_NAME */ WHERE {} AND t.CONSTRAINT_TYPE = 'CHECK'",
            of.condition("t.TABLE_SCHEMA", "t.TABLE_NAME")
        )
    };
    rows(connection, CHECKS, "", names, |row: &MySqlRow| Ok(json_column(&get::<String>(row, 1)?))).await
}

/// The column of a condition such as ``json_valid(`doc`)``.
fn json_column(condition: &str) -> Option<String> {
    let bare = condition.trim().trim_start_matches('(').trim_end_matches(')');
    Some(bare.strip_prefix("json_valid(`")?.strip_suffix('`')?.replace("``", "`"))
}

fn column_type(column: &Column, is_json: bool) -> ColumnType {
    let declared = column.declared.as_str();
    let Declared { base, numbers, unsigned } = Declared::of(declared);
    let base = if is_json { "json".to_owned() } else { base };
    let number = |index: usize| numbers.get(index).copied();
    let is_number = ["decimal", "numeric"].contains(&base.as_str());
    let is_text = ["char", "varchar", "binary", "varbinary"].contains(&base.as_str());
    ColumnType {
        unsigned,
        length: number(0).filter(|_| is_text),
        precision: number(0).filter(|_| is_number),
        scale: number(1).filter(|_| is_number).and_then(|digits| digits.try_into().ok()),
        labels: if base == "enum" { labels(declared) } else { Vec::new() },
        base,
        declared: declared.to_owned(),
        ..ColumnType::default()
    }
}

/// The texts of an enum's type: `enum('a','it''s')`.
fn labels(declared: &str) -> Vec<String> {
    parts_of_script(declared, false).filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::labels;

    #[test]
    fn labels_are_the_texts_of_the_type() {
        assert_eq!(labels("enum('a','it''s','b,c','')"), ["a", "it's", "b,c", ""]);
        assert_eq!(labels("int"), [""; 0]);
    }
}
