//! A program before and after a release, for tests of its commands: `VERSION=variant` has one more state of an order, and
//! `VERSION=new` one more field, too.

use std::env;

mod old {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
    pub(super) enum State {
        Open,
        Paid,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "orders")]
    pub(super) struct Order {
        pub(super) id: i64,
        pub(super) state: State,
    }
}

mod variant {
    use crud_runtime::prelude::*;

    use super::new;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "orders")]
    pub(super) struct Order {
        pub(super) id: i64,
        pub(super) state: new::State,
    }
}

mod new {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
    pub(crate) enum State {
        Open,
        Paid,
        Shipped,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "orders")]
    pub(super) struct Order {
        pub(super) id: i64,
        pub(super) state: State,
        #[crud(column(backfill = "post"))]
        pub(super) carrier: String,
    }
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let version = env::var("VERSION").unwrap_or_default();
    crud_runtime::config::run(|service| match version.as_str() {
        "new" => service.resource::<new::Order>(),
        "variant" => service.resource::<variant::Order>(),
        _ => service.resource::<old::Order>(),
    })
    .await
}
