//! The size of a table, which says how long a change of it takes.

use crate::driver::{Connection, first_number};
use crate::identifier::table_identifier;
use crate::schema::alteration::cost::Change;
use crate::schema::comparison::compared::Compared;
use crate::schema::driver::SchemaDriver;
use crate::statement::Statement;
use crate::storage::migrations::{Step, StepKind};

/// The steps of a change, those that keep others waiting with a comment that says so, and the number of records.
pub(crate) async fn remarked<D: SchemaDriver>(
    connection: &mut Connection<D>,
    compared: &Compared,
    change: Change<'_>,
    mut steps: Vec<Step>,
    sizes: Sizes<'_>,
) -> Result<Vec<Step>, D::Error> {
    let costs = |change| (D::ALTERATION.cost)(compared, change).filter(|_| compared.table.is_some());
    let (cost, fill) = (costs(change), costs(Change::Fill));
    let mut known = None;
    for step in &mut steps {
        let is_remarked = matches!(step.kind, StepKind::Alter | StepKind::Rebuild | StepKind::Constrain);
        let cost = cost.filter(|_| has_line(step, "")).or(fill.filter(|_| has_line(step, "UPDATE ")));
        let Some(cost) = cost.filter(|_| is_remarked) else { continue };
        let records = match known {
            Some(records) => records,
            None => sizes.of::<D>(connection, compared.resource.table).await?,
        };
        known = Some(records);
        step.up = format!("{}\n{}", cost.comment(records), step.up);
    }
    Ok(steps)
}

/// Whether a line of the statements of a step begins with this.
fn has_line(step: &Step, begin: &str) -> bool {
    step.up.lines().any(|line| !line.starts_with("--") && line.starts_with(begin))
}

/// Source of the numbers of records.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sizes<'a> {
    /// The tables.
    Counted,
    /// Numbers of another database, where the tables are empty: by table, as far as it has them.
    Given(&'a [(&'static str, u64)]),
}

impl Sizes<'_> {
    /// Number of the records of a table, where it is known.
    pub(crate) async fn of<D: SchemaDriver>(
        self,
        connection: &mut Connection<D>,
        table: &str,
    ) -> Result<Option<i64>, D::Error> {
        match self {
            Self::Counted => {
                let text = format!("SELECT COUNT(*) FROM {}", table_identifier::<D>(table));
                first_number::<D>(connection, Statement::assembled(text)).await
            }
            Self::Given(sizes) => {
                let given = sizes.iter().find(|(name, _)| (D::TABLES.is_same_name)(name, table));
                Ok(given.map(|(_, records)| i64::try_from(*records).unwrap_or(i64::MAX)))
            }
        }
    }
}
