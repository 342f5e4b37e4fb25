//! A service in a separate process: this test program, started again.

use std::env;

use crud_events::Webhooks;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::{Database, Operator, Server};

use crate::shop::shop_of;

/// The variable with the host of the receiver, by which the program knows that it is to serve.
const RECEIVER: &str = "CRUD_TEST_WEBHOOKS_RECEIVER";

/// Starts the service.
pub(crate) async fn start(database: &Database, receiver: &str) -> Server {
    let program = env::current_exe().expect("this program");
    let arguments = ["--exact", "process::serves", "--nocapture"];
    let [password, secret] = Operator::VARIABLES;
    Server::start_with(&program.to_string_lossy(), &arguments, &[(RECEIVER, receiver), password, secret], database)
        .await
}

/// The service, where the variables say so: it runs until it is killed.
#[test]
fn serves() {
    let Ok(receiver) = env::var(RECEIVER) else { return };
    let variable = |name: &str| env::var(name).expect("a variable of the server");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let served = async {
        let service = Service::connect(&variable("DATABASE_URL")).await?;
        let auth = Auth::builder().secret(variable("JWT_SECRET_KEY")).tenant_claim("shop").build()?;
        let service = service.auth(auth);
        let service = shop_of(service, Webhooks::new().allow_http_to(receiver)).migrate().await?;
        service.users().create_first("admin", &variable("ADMIN_PASSWORD"), ["admin", "staff"]).await?;
        service.serve(variable("BIND")).await
    };
    runtime.block_on(served).expect("a service");
}
