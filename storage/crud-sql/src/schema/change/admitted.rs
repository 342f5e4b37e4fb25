//! CHECK constraints that are there: the values that their conditions admit.

use crate::driver::{Connection, first_number};
use crate::identifier::identifier;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::value::{Kind, Value};
use crate::schema::ddl::stored;
use crate::schema::driver::SchemaDriver;
use crate::statement::Statement;

/// Whether a condition that the database has for a column admits every value that an enum has, which the database itself
/// answers, whichever way it spells the condition:
///
/// ```sql
/// SELECT count(*) FROM (SELECT 'draft' AS "status" UNION ALL SELECT 'live' AS "status") AS "known"
///   WHERE NOT (status = ANY (ARRAY['draft'::text, 'live'::text, 'paused'::text]))
/// ```
///
/// `collate` follows each literal. Of other kinds, the values of a condition are not enumerated: another one may refuse some.
pub(crate) async fn admits<D: SchemaDriver>(
    connection: &mut Connection<D>,
    column: &ColumnDescriptor,
    condition: Option<&str>,
    collate: &str,
) -> bool {
    let Some(condition) = condition else { return true };
    let Kind::Enum(texts) = column.kind else { return false };
    let name = identifier::<D>(column.column);
    let collate = if column.is_coded() { "" } else { collate };
    let row = |text: &&str| {
        let literal = stored::<D>(column, &Value::Text((*text).to_owned()))?;
        Some(format!("SELECT {literal}{collate} AS {name}"))
    };
    let Some(rows) = texts.iter().map(row).collect::<Option<Vec<_>>>().filter(|rows| !rows.is_empty()) else {
        return false;
    };
    let (rows, known) = (rows.join(" UNION ALL "), identifier::<D>("known"));
    let text = format!("SELECT count(*) FROM ({rows}) AS {known} WHERE NOT ({condition})");
    // A condition of other columns, too, cannot be asked.
    matches!(first_number::<D>(connection, Statement::assembled(text)).await, Ok(Some(0)))
}
