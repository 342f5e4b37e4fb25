//! The steps of a migration that create views and make them anew.

use crate::driver::Connection;
use crate::identifier::{identifier, table_identifier};
use crate::schema::comparison::compared::Compared;
use crate::schema::migration_driver::Dependent;
use crate::schema::migration_driver::MigrationDriver;
use crate::schema::view::{ComparedView, create, replaced};
use crate::storage::migrations::{Step, StepKind};
use crate::storage::schema::DifferenceKind;

/// The steps that make the views what their structs want, before the steps of the tables and after them. A view is dropped before
/// a table that it reads is altered, where the database demands it; so is a view that no struct has any more.
pub(crate) async fn steps<D: MigrationDriver>(
    connection: &mut Connection<D>,
    views: &[ComparedView],
    tables: &[Compared],
) -> Result<[Vec<Step>; 2], D::Error> {
    let alters = |compared: &Compared, what: &DifferenceKind| {
        matches!(what, DifferenceKind::Type { .. } | DifferenceKind::Collation { .. })
            || D::needs_rebuild(compared, what)
    };
    let replaced = replaced(views, |table| {
        let mut found = tables.iter().filter(|compared| compared.resource.table == table.table);
        !D::TABLES.views.replaces && found.any(|compared| compared.whats().any(|what| alters(compared, what)))
    });
    let [mut first, mut last] = remaining_views::<D>(connection, views, tables).await?;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (view, replaced) in views.iter().zip(replaced) {
        let (table, name) = (view.resource.table, table_identifier::<D>(view.resource.table));
        let drop = format!("DROP VIEW {name};");
        let present = view.present.as_ref().map(|present| &present.view).filter(|_| replaced);
        let is_missing = view.is(&DifferenceKind::ViewMissing);
        let Some(create) = create::<D>(view.resource).filter(|_| replaced || is_missing).map(|sql| sql + ";") else {
            let left = |difference| format!("-- {difference}.\n-- How to mend that is left to you.");
            after.extend(view.differences.iter().map(|one| Step::alter(table, left(one), String::new())));
            continue;
        };
        let Some(old) = present else {
            after.push(Step { table, up: create, down: drop, kind: StepKind::Create });
            continue;
        };
        let (drop, again) =
            if D::TABLES.views.replaces { (String::new(), D::TABLES.views.create) } else { (drop, "CREATE VIEW") };
        // It may name columns that the tables have again once they are reverted.
        before.push(Step::alter(table, drop.clone(), format!("{again} {old};")));
        after.push(Step::alter(table, create, drop));
    }
    // Views that read a view are dropped before it.
    first.extend(before.into_iter().rev());
    last.splice(0..0, after);
    Ok([first, last])
}

/// The steps that create again what no struct has and what is in the way of a change, or would break by it.
async fn remaining_views<D: MigrationDriver>(
    connection: &mut Connection<D>,
    views: &[ComparedView],
    tables: &[Compared],
) -> Result<[Vec<Step>; 2], D::Error> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut names: Vec<String> = Vec::new();
    for compared in tables {
        let table = compared.resource.table;
        let step = |up, down| Step::alter(table, up, down);
        for dependent in D::dependents(connection, compared).await? {
            let (Dependent::View { name, .. } | Dependent::Left { name, .. }) = &dependent;
            let is_same = |other: &str| (D::TABLES.is_same_name)(other, name);
            if names.contains(name) || views.iter().any(|view| is_same(view.resource.table)) {
                continue;
            }
            let quoted = identifier::<D>(name);
            names.push(name.clone());
            match dependent {
                Dependent::View { definition, renamed, .. } if D::TABLES.views.replaces => {
                    let replace = |definition: &str| format!("CREATE OR REPLACE {definition};");
                    let note = format!("-- No struct has the view {quoted}: it reads a column that gets another name.");
                    // Its way back comes last, after that of the views that it reads.
                    before.insert(0, step(String::new(), replace(&definition)));
                    after.push(step(format!("{note}\n{}", replace(&renamed)), String::new()));
                }
                Dependent::View { definition, renamed, .. } => {
                    let drop = format!("DROP VIEW {quoted};");
                    let note =
                        format!("-- No struct has the view {quoted}: it is created again for programs of before.");
                    before.push(step(format!("{note}\n{drop}"), format!("CREATE {definition};")));
                    after.insert(0, step(format!("CREATE {renamed};"), drop));
                }
                Dependent::Left { note, .. } => after.push(step(note, String::new())),
            }
        }
    }
    Ok([before, after])
}
