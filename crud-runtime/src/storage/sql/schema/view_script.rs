//! The steps of a migration that create views and make them anew.

use super::compared::Compared;
use super::ddl::identifier;
use super::rename;
use super::view::{ComparedView, create, replaced};
use crate::storage::migrations::{Step, StepKind};
use crate::storage::schema::What;
use crate::storage::sql::driver::{Connection, Driver};

/// The steps before and after those of the tables.
pub(crate) struct ViewSteps {
    pub(crate) before: Vec<Step>,
    pub(crate) after: Vec<Step>,
}

/// The steps that make the views what their structs want. A view is dropped before a table that it reads is altered, where
/// the database demands it; so is a view that no struct has any more.
pub(crate) async fn steps<D: Driver>(
    connection: &mut Connection<D>,
    views: &[ComparedView],
    tables: &[Compared],
) -> Result<ViewSteps, D::Error> {
    let altered = |compared: &&Compared| {
        let whats = || compared.differences.iter().map(|difference| &difference.what);
        whats().any(|what| {
            let is_retyped = matches!(what, What::Type { .. } | What::Collation { .. });
            is_retyped || (D::ALTERATION.needs_rebuild)(compared, what)
        })
    };
    let altered: Vec<&Compared> =
        if D::TABLES.views.replaces { Vec::new() } else { tables.iter().filter(altered).collect() };
    let replaced = replaced(views, |table| altered.iter().any(|compared| compared.resource.table == table.table));
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (view, replaced) in views.iter().zip(replaced) {
        let (table, name) = (view.resource.table, identifier::<D>(view.resource.table));
        let drop = format!("DROP VIEW {name};");
        let present = view.present.as_ref().map(|present| format!("{};", present.definition)).filter(|_| replaced);
        let is_missing = view.differences.iter().any(|difference| difference.what == What::ViewMissing);
        let Some(create) = create::<D>(view.resource).filter(|_| replaced || is_missing).map(|sql| sql + ";") else {
            after.extend(view.differences.iter().map(|difference| Step {
                table,
                up: format!("-- {difference}.\n-- How to mend that is left to you."),
                down: String::new(),
                kind: StepKind::Alter,
            }));
            continue;
        };
        after.push(match present {
            None => Step { table, up: create, down: drop, kind: StepKind::Create },
            Some(old) if D::TABLES.views.replaces => {
                // It may name columns that the tables have again once they are reverted.
                let down = old.replacen("CREATE VIEW", D::TABLES.views.create, 1);
                before.push(Step { table, up: String::new(), down, kind: StepKind::Alter });
                Step { table, up: create, down: String::new(), kind: StepKind::Alter }
            }
            Some(old) => {
                before.push(Step { table, up: drop.clone(), down: old, kind: StepKind::Alter });
                Step { table, up: create, down: drop, kind: StepKind::Alter }
            }
        });
    }
    // What reads a view is dropped before it.
    before.reverse();
    let left = left_views::<D>(connection, views, tables).await?;
    after.extend(left.after);
    before.splice(0..0, left.before);
    Ok(ViewSteps { before, after })
}

/// The steps that drop the views that no struct has and that are in the way of a change, and create them again.
async fn left_views<D: Driver>(
    connection: &mut Connection<D>,
    views: &[ComparedView],
    tables: &[Compared],
) -> Result<ViewSteps, D::Error> {
    let mut steps = ViewSteps { before: Vec::new(), after: Vec::new() };
    let mut names: Vec<String> = Vec::new();
    for compared in tables {
        let renamed: Vec<_> = compared.renamed.iter().map(|one| (one.from, one.column.column)).collect();
        for (name, definition) in (D::ALTERATION.views_in_the_way)(connection, compared).await? {
            let is_same = |other: &str| (D::TABLES.is_same_name)(other, &name);
            if names.contains(&name) || views.iter().any(|view| is_same(view.resource.table)) {
                continue;
            }
            let (table, quoted) = (compared.resource.table, identifier::<D>(&name));
            let drop = format!("DROP VIEW {quoted};");
            let up = format!("-- No struct has the view {quoted}: it is created again for programs of before.\n{drop}");
            let create = format!("{};", rename::text(&definition, &renamed));
            steps.before.push(Step { table, up, down: format!("{definition};"), kind: StepKind::Alter });
            steps.after.insert(0, Step { table, up: create, down: drop, kind: StepKind::Alter });
            names.push(name);
        }
    }
    Ok(steps)
}
