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
        let records = if is_counted { sizes.of::<D>(connection, compared.resource.table).await? } else { None };
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
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes<'a>(pub(crate) Option<&'a [(&'static str, u64)]>);

impl Sizes<'_> {
    /// Number of the records of a table, where it is known.
    pub(crate) async fn of<D: MigrationDriver>(
        self,
        connection: &mut Connection<D>,
        table: &str,
    ) -> Result<Option<i64>, D::Error> {
        let Some(sizes) = self.0 else {
            let text = format!("SELECT COUNT(*) FROM {}", table_identifier::<D>(table));
            return first_number::<D>(connection, Statement::assembled(text)).await;
        };
        let given = sizes.iter().find(|(name, _)| (D::TABLES.is_same_name)(name, table));
        Ok(given.map(|(_, records)| i64::try_from(*records).unwrap_or(i64::MAX)))
    }
}
