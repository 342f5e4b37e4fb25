//! Functions that `hooks` names: missing, or of another signature.

mod before_of_another_signature {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(hooks(before(without_context)))]
    pub struct Ticket {
        pub id: i64,
    }

    async fn without_context(_: &mut Changeset<'_, Ticket>) -> Result<(), Problem> {
        Ok(())
    }

    #[derive(Resource)]
    #[crud(hooks(before(shared)))]
    pub struct Part {
        pub id: i64,
    }

    async fn shared(_: &Changeset<'_, Part>, _: &mut HookContext<'_>) -> Result<(), Problem> {
        Ok(())
    }

    #[derive(Resource)]
    #[crud(hooks(before(of_another)))]
    pub struct Bill {
        pub id: i64,
    }

    async fn of_another(_: &mut Changeset<'_, Ticket>, _: &mut HookContext<'_>) -> Result<(), Problem> {
        Ok(())
    }
}

mod committed_of_another_signature {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(hooks(committed(borrowed)))]
    pub struct Order {
        pub id: i64,
    }

    async fn borrowed(_: &Changed<'_, Order>, _: &mut HookContext<'_>) {}
}

mod hook_that_is_not_async {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(hooks(before(before), after(after), committed(committed)))]
    pub struct Visit {
        pub id: i64,
    }

    fn before(_: &mut Changeset<'_, Visit>, _: &mut HookContext<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn after(_: &Changed<'_, Visit>, _: &mut HookContext<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn committed(_: Changed<'static, Visit>, _: App) {}
}

mod hook_that_is_not_send {
    use crud_runtime::prelude::*;

    use std::rc::Rc;

    #[derive(Resource)]
    #[crud(hooks(after(count)))]
    pub struct Meter {
        pub id: i64,
    }

    async fn count(_: &Changed<'_, Meter>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
        let seen = Rc::new(1);
        wait(ctx).await;
        drop(seen);
        Ok(())
    }

    async fn wait(_: &mut HookContext<'_>) {}
}

mod hook_that_returns_something_else {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(hooks(before(nothing)))]
    pub struct Note {
        pub id: i64,
    }

    async fn nothing(_: &mut Changeset<'_, Note>, _: &mut HookContext<'_>) {}

    #[derive(Resource)]
    #[crud(hooks(after(other_error)))]
    pub struct Sheet {
        pub id: i64,
    }

    async fn other_error(_: &Changed<'_, Sheet>, _: &mut HookContext<'_>) -> Result<(), String> {
        Ok(())
    }

    #[derive(Resource)]
    #[crud(hooks(committed(fallible)))]
    pub struct Draft {
        pub id: i64,
    }

    async fn fallible(_: Changed<'static, Draft>, _: App) -> Result<(), Problem> {
        Ok(())
    }
}

mod names_nothing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(hooks(before(checks::check), validate(chek)))]
    pub struct Shelf {
        pub id: i64,
    }
}

mod validate_of_another_signature {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(hooks(validate(of_the_record)))]
    pub struct Team {
        pub id: i64,
    }

    fn of_the_record(_: &Team) {}

    #[derive(Resource)]
    #[crud(hooks(validate(of_another_record)))]
    pub struct Badge {
        pub id: i64,
    }

    fn of_another_record(_: &mut Changeset<'_, Team>) {}

    #[derive(Resource)]
    #[crud(hooks(validate(with_result)))]
    pub struct Guest {
        pub id: i64,
    }

    fn with_result(_: &mut Changeset<'_, Guest>) -> Result<(), Problem> {
        Ok(())
    }
}

/// A hook states the visibility of a store: the caller may see fewer records than a rule is about.
mod store_without_visibility {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(hooks(after(check)))]
    pub struct Booking {
        pub id: i64,
        pub room: i32,
    }

    async fn check(change: &Changed<'_, Booking>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
        ctx.store::<Booking>().get(change.record().id).await?;
        ctx.tx().store::<Booking>().get(change.record().id).await?;
        Ok(())
    }
}
