//! `validate` and `hooks`: their functions, by any path.

use crud_runtime::prelude::*;

mod checks {
    use super::{Change, Cx, Problem, Ticket};

    pub(super) async fn stamp(change: &mut Change<'_, Ticket>, cx: &mut Cx<'_>) -> Result<(), Problem> {
        // A store's error is passed on, across an await.
        let others = cx.store::<Ticket>().as_program().count(Ticket::FIELDS.title.eq("a")).await?;
        change.set(Ticket::FIELDS.title, format!("{others}"));
        Ok(())
    }
}

#[derive(Resource)]
#[crud(validate = complete, hooks(before = checks::stamp, after = self::bill, committed = notify, other_writes))]
struct Ticket {
    id: i64,
    title: String,
}

fn complete(_: &Candidate<'_, Ticket>, _: &mut Errors<'_, Ticket>) {}

async fn bill(done: &Done<'_, Ticket>, cx: &mut Cx<'_>) -> Result<(), Problem> {
    cx.tx().as_program().store::<Ticket>().update(done.new().id, TicketPatch::default().title("b")).await?;
    Ok(())
}

async fn notify(done: Done<'static, Ticket>, app: App) {
    drop(app.store::<Ticket>().get(done.new().id).await);
}

/// With one of them, `async` by its return type.
#[derive(Resource)]
#[crud(hooks(committed = spell))]
struct Part {
    id: i64,
}

fn spell(_: Done<'static, Part>, _: App) -> impl Future<Output = ()> + Send {
    std::future::ready(())
}

#[derive(Resource)]
struct Plain {
    id: i64,
}

#[test]
fn hooks_are_in_the_descriptor_of_a_resource_that_has_them() {
    assert!(Ticket::DESCRIPTOR.hooks.is_some() && Part::DESCRIPTOR.hooks.is_some());
    assert!(Plain::DESCRIPTOR.hooks.is_none());
}
