//! `hooks`: its functions, by any path.

use crud_runtime::prelude::*;

mod checks {
    use super::{Changeset, HookContext, Problem, Ticket};

    pub(super) async fn stamp(change: &mut Changeset<'_, Ticket>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
        // A store's error is passed on, across an await.
        let others = ctx.as_program().store::<Ticket>().count(Ticket::FIELDS.title.eq("a")).await?;
        change.set(Ticket::FIELDS.title, format!("{others}"));
        Ok(())
    }
}

#[derive(Resource)]
#[crud(hooks(before(checks::stamp), after(self::bill), committed(notify), validate(complete)))]
struct Ticket {
    id: i64,
    title: String,
}

fn complete(_: &mut Changeset<'_, Ticket>) {}

async fn bill(change: &Changed<'_, Ticket>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    ctx.as_program().store::<Ticket>().update(change.record().id, TicketPatch::default().title("b")).await?;
    Ok(())
}

async fn notify(change: Changed<'static, Ticket>, app: App) {
    drop(app.store::<Ticket>().get(change.record().id).await);
}

/// With one of them, `async` by its return type.
#[derive(Resource)]
#[crud(hooks(committed(spell)))]
struct Part {
    id: i64,
}

fn spell(_: Changed<'static, Part>, _: App) -> impl Future<Output = ()> + Send {
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
