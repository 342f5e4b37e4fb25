//! The size of a table, which says how long a change of it takes.

use crate::driver::{Connection, first_number};
use crate::identifier::table_identifier;
use crate::schema::change::Change;
use crate::schema::change::planned::Planned;
use crate::schema::comparison::compared::Compared;
use crate::schema::migration_driver::MigrationDriver;
use crate::statement::Statement;
use crate::storage::migrations::{Step, StepKind};

/// The steps of planned changes, those that keep others waiting with a comment that says so, and the number of records.
pub(crate) async fn steps<D: MigrationDriver>(
    connection: &mut Connection<D>,
    compared: &Compared,
    planned: impl IntoIterator<Item = Planned>,
    sizes: Sizes<'_>,
) -> Result<Vec<Step>, D::Error> {
    let mut all = Vec::new();
    for planned in planned {
        let cost = |change: &Change| D::cost(compared, change);
        let cost = planned.applied().iter().find_map(cost).filter(|_| compared.table.is_some());
        let is_filled = |change: &Change| matches!(change, Change::AlterColumn(altered) if altered.fill.is_some());
        let is_counted = cost.is_some() || D::ONLINE && planned.applied().iter().any(is_filled);
        let table = compared.resource.table;
        let records = if is_counted { records::<D>(connection, table, sizes).await? } else { None };
        let mut steps = planned.steps::<D>(compared, records.unwrap_or_default());
        let is_remarked = |step: &&mut Step| matches!(step.kind, StepKind::Alter | StepKind::Constrain);
        if let Some((cost, step)) = cost.zip(steps.iter_mut().find(is_remarked)) {
            step.up = format!("{}\n{}", cost.comment(records), step.up);
        }
        all.extend(steps);
    }
    Ok(all)
}

/// Numbers of records: those of another database, where the tables are empty, by table and as far as it has them; otherwise
/// the tables are counted.
pub(crate) type Sizes<'a> = Option<&'a [(&'static str, u64)]>;

/// Number of the records of a table, where it is known.
pub(crate) async fn records<D: MigrationDriver>(
    connection: &mut Connection<D>,
    table: &str,
    sizes: Sizes<'_>,
) -> Result<Option<i64>, D::Error> {
    let Some(sizes) = sizes else {
        let text = format!("SELECT COUNT(*) FROM {}", table_identifier::<D>(table));
        return first_number::<D>(connection, Statement::assembled(text)).await;
    };
    let given = sizes.iter().find(|(name, _)| (D::TABLES.is_same_name)(name, table));
    Ok(given.map(|(_, records)| i64::try_from(*records).unwrap_or(i64::MAX)))
}
