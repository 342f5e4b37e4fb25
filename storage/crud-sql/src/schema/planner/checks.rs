//! CHECK constraints: those of a table beside those that its resource wants.

use super::renamed_columns::present_check;
use crate::driver::{Connection, first_number};
use crate::identifier::identifier;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::{Kind, Value};
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::{check_constraint, check_name, stored, stored_columns};
use crate::schema::migration_driver::MigrationDriver;
use crate::statement::Statement;
use crate::storage::schema::DifferenceKind;

/// A temporary table, from which a server's spelling of a resource's CHECK constraints is read.
pub(crate) const TEMPORARY: &str = "crud_wanted_checks";

/// The statement that creates the [temporary table](TEMPORARY), without its end; `None` without constraints.
pub(crate) fn table_of_checks<D: MigrationDriver>(resource: &Descriptor) -> Option<String> {
    let lines = stored_columns(resource).filter_map(|column| {
        let check = check_constraint::<D>(resource, column)?;
        Some((format!("{} {}", identifier::<D>(column.column), D::TABLES.declared(resource, column)), check))
    });
    let (columns, checks): (Vec<String>, Vec<String>) = lines.unzip();
    let lines = [columns, checks].concat().join(", ");
    (!lines.is_empty()).then(|| format!("CREATE TEMPORARY TABLE {TEMPORARY} ({lines})"))
}

/// The differences that a migration mends and a service ignores: columns that are too short for their fields, and CHECK
/// constraints that differ from the resource's. A missing column is created with its CHECK.
pub(super) async fn finer<D: MigrationDriver>(
    connection: &mut Connection<D>,
    compared: &Compared,
) -> Result<[Vec<DifferenceKind>; 2], D::Error> {
    let resource = compared.resource;
    let (mut types, mut checks) = (Vec::new(), Vec::new());
    let Some(wanted) = D::wanted_checks(connection, compared).await? else { return Ok([types, checks]) };
    let bare = |condition: &Option<String>| condition.as_deref().map(D::BARE_CONDITION);
    for column in stored_columns(resource) {
        let Some(present) = compared.column::<D>(column.column) else { continue };
        let name = check_name::<D>(resource, column.column);
        let is = present_check::<D>(compared, column);
        let must_be = wanted.iter().find(|check| check.name == name).map(|check| check.condition.clone());
        if bare(&is) != bare(&must_be) {
            let admits = admits::<D>(connection, column, is.as_deref()).await;
            checks.push(DifferenceKind::Check { column: column.column, is, must_be, admits });
        }
        if D::is_short(resource, column, &present.declared) {
            let must_be = (D::TABLES.column_type)(resource, column).into_owned();
            types.push(DifferenceKind::Type { column: column.column, is: present.declared.clone(), must_be });
        }
    }
    Ok([types, checks])
}

/// Whether a condition that the database has for a column admits every value that an enum has, which the database itself
/// answers, whichever way it spells the condition:
///
/// ```sql
/// SELECT count(*) FROM (SELECT 'draft' AS "status" UNION ALL SELECT 'live' AS "status") AS "known"
///   WHERE NOT (status = ANY (ARRAY['draft'::text, 'live'::text, 'paused'::text]))
/// ```
///
/// The values of other kinds than enums are not enumerated: a condition may refuse one that is not asked.
async fn admits<D: MigrationDriver>(
    connection: &mut Connection<D>,
    column: &ColumnDescriptor,
    condition: Option<&str>,
) -> bool {
    let Some(condition) = condition else { return true };
    let Kind::Enum(texts) = column.kind else { return false };
    let name = identifier::<D>(column.column);
    let collate = if column.is_coded() { "" } else { D::COLLATE_LITERAL };
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
