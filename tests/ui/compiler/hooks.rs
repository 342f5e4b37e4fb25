//! Functions that `validate` and `hooks` name: missing, or of another signature.

mod before_of_another_signature {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(hooks(before = without_cx))]
    pub struct Ticket {
        pub id: i64,
    }

    async fn without_cx(_: &mut Change<'_, Ticket>) -> Result<(), Problem> {
        Ok(())
    }

    #[derive(Resource)]
    #[crud(hooks(before = shared))]
    pub struct Part {
        pub id: i64,
    }

    async fn shared(_: &Change<'_, Part>, _: &mut Cx<'_>) -> Result<(), Problem> {
        Ok(())
    }

    #[derive(Resource)]
    #[crud(hooks(before = of_another))]
    pub struct Bill {
        pub id: i64,
    }

    async fn of_another(_: &mut Change<'_, Ticket>, _: &mut Cx<'_>) -> Result<(), Problem> {
        Ok(())
    }
}

mod committed_of_another_signature {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(hooks(committed = borrowed))]
    pub struct Order {
        pub id: i64,
    }

    async fn borrowed(_: &Done<'_, Order>, _: &mut Cx<'_>) {}
}

mod hook_that_is_not_async {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(hooks(before = before, after = after, committed = committed))]
    pub struct Visit {
        pub id: i64,
    }

    fn before(_: &mut Change<'_, Visit>, _: &mut Cx<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn after(_: &Done<'_, Visit>, _: &mut Cx<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn committed(_: Done<'static, Visit>, _: App) {}
}

mod hook_that_is_not_send {
    use crud_runtime::prelude::*;

    use std::rc::Rc;

    #[derive(Resource)]
    #[crud(hooks(after = count, other_writes))]
    pub struct Meter {
        pub id: i64,
    }

    async fn count(_: &Done<'_, Meter>, cx: &mut Cx<'_>) -> Result<(), Problem> {
        let seen = Rc::new(1);
        wait(cx).await;
        drop(seen);
        Ok(())
    }

    async fn wait(_: &mut Cx<'_>) {}
}

mod hook_that_returns_something_else {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(hooks(before = nothing))]
    pub struct Note {
        pub id: i64,
    }

    async fn nothing(_: &mut Change<'_, Note>, _: &mut Cx<'_>) {}

    #[derive(Resource)]
    #[crud(hooks(after = other_error))]
    pub struct Sheet {
        pub id: i64,
    }

    async fn other_error(_: &Done<'_, Sheet>, _: &mut Cx<'_>) -> Result<(), String> {
        Ok(())
    }

    #[derive(Resource)]
    #[crud(hooks(committed = fallible))]
    pub struct Draft {
        pub id: i64,
    }

    async fn fallible(_: Done<'static, Draft>, _: App) -> Result<(), Problem> {
        Ok(())
    }
}

mod names_nothing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(validate = chek, hooks(before = checks::check))]
    pub struct Shelf {
        pub id: i64,
    }
}

mod validate_of_another_signature {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(validate = of_the_record)]
    pub struct Team {
        pub id: i64,
    }

    fn of_the_record(_: &Team, _: &mut Errors<'_, Team>) {}

    #[derive(Resource)]
    #[crud(validate = of_another_record)]
    pub struct Badge {
        pub id: i64,
    }

    fn of_another_record(_: &Candidate<'_, Team>, _: &mut Errors<'_, Team>) {}

    #[derive(Resource)]
    #[crud(validate = with_result)]
    pub struct Guest {
        pub id: i64,
    }

    fn with_result(_: &Candidate<'_, Guest>) -> Result<(), Problem> {
        Ok(())
    }
}

/// A hook says with whose eyes a store reads: the caller may see fewer records than a rule is about.
mod store_without_eyes {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(hooks(after = check))]
    pub struct Booking {
        pub id: i64,
        pub room: i32,
    }

    async fn check(done: &Done<'_, Booking>, cx: &mut Cx<'_>) -> Result<(), Problem> {
        cx.store::<Booking>().get(done.new().id).await?;
        cx.tx().store::<Booking>().get(done.new().id).await?;
        Ok(())
    }
}
