//! Bodies and handlers of actions.

mod handlers {
    use crud_runtime::action::{Action, Ctx, Locked, Record, Valid};
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    struct Part {
        id: i64,
    }

    struct NoSchema;

    async fn not_an_argument(_: Ctx, _: String) -> crud_runtime::Result<()> {
        Ok(())
    }

    async fn not_a_reply(_: Locked<Part>) -> crud_runtime::Result<Part> {
        unreachable!()
    }

    async fn not_a_body(_: Valid<NoSchema>) -> crud_runtime::Result<Record<Part>> {
        unreachable!()
    }

    fn uses() {
        let _ = Action::post("a").handler(not_an_argument);
        let _ = Action::post("b").handler(not_a_reply);
        let _ = Action::post("c").handler(not_a_body);
    }
}

mod types_and_rules {
    use crud_runtime::prelude::*;

    struct Money;

    #[derive(Schema)]
    struct Pay {
        amount: Money,
        #[crud(min = 5, max = 1)]
        times: i32,
        #[crud(max_lenght = 20)]
        note: String,
    }
}
