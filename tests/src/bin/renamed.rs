//! A program before and after its struct was renamed, with the commands of the configuration: `RELEASE=purchase renamed check`.
//! For tests that need a separate process.

use std::env;

use crud_runtime::Error;
use crud_runtime::prelude::*;

/// The struct before.
#[derive(Debug, Clone, Resource)]
struct Order {
    id: i64,
    number: String,
}

/// The struct after.
#[derive(Debug, Clone, Resource)]
#[crud(renamed_from = "Order")]
struct Purchase {
    id: i64,
    number: String,
}

mod forgotten {
    use crud_runtime::prelude::*;

    /// The struct after, without its former name.
    #[derive(Debug, Clone, Resource)]
    pub(super) struct Purchase {
        id: i64,
        number: String,
    }
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let release = env::var("RELEASE").unwrap_or_default();
    let build = |service: Service| match release.as_str() {
        "purchase" => Ok(service.resource::<Purchase>()),
        "forgotten" => Ok(service.resource::<forgotten::Purchase>()),
        "order" | "" => Ok(service.resource::<Order>()),
        other => Err(Error::Setup(format!("there is no release `{other}`"))),
    };
    crud_runtime::config::run(|service| Ok(build(service)?.without_auth())).await
}
