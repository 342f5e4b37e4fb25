//! The size of a table, which says how long a change of it takes.

use super::compared::Compared;
use super::ddl::identifier;
use crate::storage::migrations::{Step, StepKind};
use crate::storage::schema::What;
use crate::storage::sql::driver::{Connection, Driver};
use crate::storage::sql::statement::{Statement, Text};

/// The steps that mend a difference, those that write every record anew with a comment that says so, and how many there are.
pub(crate) async fn remarked<D: Driver>(
    connection: &mut Connection<D>,
    compared: &Compared,
    what: Option<&What>,
    mut steps: Vec<Step>,
) -> Result<Vec<Step>, D::Error> {
    let is_written_anew = match what {
        None => true,
        Some(what) => compared.table.is_some() && (D::ALTERATION.rewrites)(compared, what),
    };
    let is_statement = |step: &Step| step.up.lines().any(|line| !line.starts_with("--"));
    let wanted = |step: &Step| matches!(step.kind, StepKind::Alter | StepKind::Rebuild) && is_statement(step);
    if is_written_anew && steps.iter().any(wanted) {
        let records = records::<D>(connection, compared.resource.table).await?;
        let waiting = D::ALTERATION.waiting;
        for step in steps.iter_mut().filter(|step| wanted(step)) {
            step.up = format!("-- Writes all records anew, {records} here, while {waiting}.\n{}", step.up);
        }
    }
    Ok(steps)
}

async fn records<D: Driver>(connection: &mut Connection<D>, table: &str) -> Result<i64, D::Error> {
    let text = Text::Assembled(format!("SELECT COUNT(*) FROM {}", identifier::<D>(table)));
    let rows = D::all(connection, Statement { text, arguments: Vec::new(), then: None }).await?;
    rows.first().map_or(Ok(0), |row| D::number_in(row, 0))
}
