//! [`Online`]: changes of a table that others use meanwhile: an index is made concurrently, and a constraint is added for new
//! records first, and checked against those that are there in a separate transaction, which locks neither readers nor writers
//! out. (<https://www.postgresql.org/docs/current/sql-altertable.html#SQL-ALTERTABLE-NOTES>)

use std::marker::PhantomData;

use super::render::{beside, clause, lines, missing_values, statements};
use super::{AlteredColumn, Change, Constraint};
use crate::identifier::{identifier, table_identifier};
use crate::model::descriptor::Descriptor;
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::{CONCURRENTLY, IndexDefinition};
use crate::schema::migration_driver::{MigrationDriver, is_online};
use crate::storage::migrations::{Step, StepKind};

/// Number of records that a transaction fills in.
const BATCH: i64 = 5_000;

/// Changes of a table that others use meanwhile, as far as the database can.
pub(crate) struct Online<'a, D> {
    resource: &'a Descriptor,
    table: &'static str,
    /// Whether indexes are made, and foreign keys checked, while others use the table: not of one with partitions.
    is_concurrent: bool,
    /// The number of the table's records.
    records: i64,
    driver: PhantomData<D>,
}

impl<'a, D: MigrationDriver> Online<'a, D> {
    /// The changes of a table with so many records.
    pub(crate) fn of(compared: &'a Compared, records: i64) -> Self {
        let (resource, is_concurrent) = (compared.resource, is_online::<D>(compared));
        Self { resource, table: resource.table, is_concurrent, records, driver: PhantomData }
    }

    /// The steps of changes. What needs no other step is in the first one, of this kind.
    pub(crate) fn steps(&self, changes: &[Change], kind: StepKind) -> Vec<Step> {
        let (mut first, mut reverted) = (Vec::new(), Vec::new());
        let mut further = Vec::new();
        for change in changes {
            let up = match change {
                Change::CreateSearch(search) if self.is_concurrent && search.create_concurrently.is_some() => {
                    let create = search.create_concurrently.clone().unwrap_or_default() + ";";
                    further.push(self.step(create, self.drop_index(&search.name), StepKind::Concurrent));
                    continue;
                }
                Change::Index { from, to: Some(to), note } if self.is_concurrent => {
                    further.extend(self.make_index(from.as_ref(), to, note.as_deref()));
                    continue;
                }
                Change::AlterColumn(altered) if D::ONLINE && altered.is_required() => {
                    further.extend(self.require(altered));
                    continue;
                }
                Change::Constrain { name, from, to: Some(to) } if self.is_checked_later(to) => {
                    further.push(self.validate(name));
                    self.constrain(name, from.as_ref(), to)
                }
                change => D::render(self.table, change),
            };
            first.push(up);
            reverted.splice(0..0, change.inverse().map(|back| D::render(self.table, &back)));
        }
        let first = (!first.is_empty()).then(|| self.step(lines(first), lines(reverted), kind));
        first.into_iter().chain(further).collect()
    }

    fn step(&self, up: String, down: String, kind: StepKind) -> Step {
        Step { table: self.table, up, down, kind }
    }

    /// Whether the records that are there are checked against a constraint in a later step.
    const fn is_checked_later(&self, constraint: &Constraint) -> bool {
        match constraint {
            Constraint::Check(_) => D::ONLINE,
            Constraint::ForeignKey(_) => self.is_concurrent,
        }
    }

    /// Adds a constraint for new records, in the place of one that has its name.
    fn constrain(&self, name: &str, from: Option<&Constraint>, to: &Constraint) -> String {
        let drop = from.map(|from| Change::Constrain { name: name.to_owned(), from: Some(from.clone()), to: None });
        let drop = drop.map(|drop| D::render(self.table, &drop)).unwrap_or_default();
        let (table, name) = (table_identifier::<D>(self.table), identifier::<D>(name));
        lines([drop, format!("ALTER TABLE {table} ADD CONSTRAINT {name} {} NOT VALID;", clause::<D>(to))])
    }

    fn validate(&self, name: &str) -> Step {
        let (table, name) = (table_identifier::<D>(self.table), identifier::<D>(name));
        let up = format!("-- Fails where a record violates it.\nALTER TABLE {table} VALIDATE CONSTRAINT {name};");
        self.step(up, String::new(), StepKind::Validate)
    }

    fn drop_index(&self, index: &str) -> String {
        format!("DROP INDEX {CONCURRENTLY}{};", beside::<D>(self.table, index))
    }

    /// A former index stays by another name until the new one is there, so that there is no moment without any.
    fn make_index(&self, from: Option<&IndexDefinition>, to: &IndexDefinition, note: Option<&str>) -> Vec<Step> {
        let create = to.create_concurrently_on::<D>(self.table) + ";";
        let up = lines([note.unwrap_or_default().to_owned(), create]);
        let create = self.step(up, self.drop_index(&to.name), StepKind::Concurrent);
        let Some(from) = from else { return vec![create] };
        let aside = (D::TABLES.shorten)(format!("{}__former", from.name));
        let changed = |kind, change: Change| {
            let back = change.inverse().into_iter().collect::<Vec<_>>();
            self.step(statements::<D>(self.table, &[change]), statements::<D>(self.table, &back), kind)
        };
        let rename = Change::RenameIndex { from: from.name.clone(), to: aside.clone() };
        let drop = Change::drop_index(from.clone().named(&aside));
        vec![changed(StepKind::Alter, rename), create, changed(StepKind::Finish, drop)]
    }

    /// The steps that make a column NOT NULL. A constraint that is valid spares the last one reading the table.
    fn require(&self, altered: &AlteredColumn) -> Vec<Step> {
        let AlteredColumn { from, to, fill, .. } = altered;
        let (table, name) = (table_identifier::<D>(self.table), identifier::<D>(&to.name));
        let constraint = (D::TABLES.shorten)(format!("{}_{}_not_null", self.resource.own_table(), to.name));
        let drop = |end: &str| format!("ALTER TABLE {table} DROP CONSTRAINT {end}{};", identifier::<D>(&constraint));
        // The values come first: a record without one cannot be changed any more.
        let values = match fill {
            Some(_) => missing_values::<D>(&table, altered),
            None => format!(
                "-- The next file fails where a record has no value in {name}, unless you say what it gets.\n\
                 -- UPDATE {table} SET {name} = … WHERE {name} IS NULL;"
            ),
        };
        // Programs of before may not know the column.
        let default = (from.default != to.default).then(|| Change::SetDefault {
            column: to.clone(),
            from: from.default.clone(),
            to: to.default.clone(),
        });
        let default: Vec<Change> = default.into_iter().collect();
        let present = self.constrain(&constraint, None, &Constraint::Check(format!("{name} IS NOT NULL")));
        // The last step has dropped the constraint.
        let back = lines([drop("IF EXISTS "), statements::<D>(self.table, &super::inverse(&default))]);
        let constrain = lines([values, statements::<D>(self.table, &default), present]);
        let reshape = |altered: &AlteredColumn| D::reshape(&table, altered);
        let finish = lines([reshape(altered), drop("")]);
        let relax = reshape(&AlteredColumn::plain(to.clone(), from.clone()));
        // The text of a value could end the block.
        let is_large = |value: &&String| self.records > BATCH && !value.contains('$');
        let batches = fill.as_ref().filter(is_large).map(|value| self.fill(&to.name, value));
        let steps = [
            self.step(constrain, back, StepKind::Constrain),
            self.validate(&constraint),
            self.step(finish, relax, StepKind::Finish),
        ];
        batches.into_iter().chain(steps).collect()
    }

    /// The step that fills in the values of a column in batches, each a transaction: in one, every record of a large table would
    /// be locked until its end. It can be repeated, and is stopped between two batches without loss.
    fn fill(&self, column: &str, value: &str) -> Step {
        let (table, column) = (table_identifier::<D>(self.table), identifier::<D>(column));
        let (id, records) = (identifier::<D>(self.resource.id_column().column), self.records);
        let up = format!(
            "-- Fills in values, {BATCH} records at a time, of {records} here: other writers wait for those at most.\n\
             DO $crud$\n\
             DECLARE\n  \
               crud_first {table}.{id}%TYPE;\n  \
               crud_last {table}.{id}%TYPE;\n\
             BEGIN\n  \
               SELECT {id} INTO crud_first FROM {table} ORDER BY {id} LIMIT 1;\n  \
               WHILE crud_first IS NOT NULL LOOP\n    \
                 SELECT {id} INTO crud_last FROM (SELECT {id} FROM {table} WHERE {id} >= crud_first ORDER BY {id} LIMIT {BATCH}) \
                 AS batch\n      ORDER BY {id} DESC LIMIT 1;\n    \
                 UPDATE {table} SET {column} = {value} WHERE {column} IS NULL AND {id} BETWEEN crud_first AND crud_last;\n    \
                 COMMIT;\n    \
                 SELECT {id} INTO crud_first FROM {table} WHERE {id} > crud_last ORDER BY {id} LIMIT 1;\n  \
               END LOOP;\n\
             END $crud$;"
        );
        self.step(up, String::new(), StepKind::Fill)
    }
}
