//! The examples of the repository do what their rules say.

use std::time::Duration;

use crud_accounts::ApiKeys;
use crud_events::Events;
use crud_mcp::Mcp;
use crud_prove::{Proof, Report};
use crud_runtime::RateLimit;
use crud_runtime::auth::{Auth, AuthBuilder};
use crud_runtime::prelude::*;
use crud_tests::{Database, amount, on_each_sql_backend, on_sqlite};
use repair::Mailer;

/// Drops mails.
struct NoMail;

impl Mailer for NoMail {
    fn send(&self, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }
}

/// A report without differences: in the long part as every principal, and else quickly.
async fn proven(service: Service) -> Report {
    let proof = Proof::new(service);
    let report = if is_long() { proof.run().await } else { proof.quick().run().await };
    let report = report.expect("a proof");
    println!("{report}\n{}", report.table());
    report.expect_no_difference();
    assert!(report.requests > 200, "{report}");
    report
}

/// Whether the proofs are those of the long part.
fn is_long() -> bool {
    amount("prove", false, true)
}

/// In the long part on each back end with SQL, and else on SQLite.
fn on_databases(test: impl AsyncFn(&Database)) {
    if is_long() { on_each_sql_backend(test) } else { on_sqlite(test) }
}

fn auth(builder: AuthBuilder) -> Auth {
    builder.secret("a secret of at least thirty-two bytes").build().expect("authentication")
}

#[test]
fn repair_shop_does_what_its_rules_say() {
    on_databases(async |database| {
        let service = repair::repair(database.service().await, NoMail).auth(auth(repair::auth()));
        let report = proven(service).await;
        assert!(report.table().contains("customer"), "{}", report.table());
    });
}

#[test]
fn tracker_does_what_its_rules_say() {
    on_databases(async |database| {
        let service = tracker::tracker(database.service().await).auth(auth(tracker::auth()));
        let report = proven(service).await;
        assert!(report.table().contains("a member as guest"), "{}", report.table());
    });
}

#[test]
fn agents_of_the_tracker_have_what_its_rules_say() {
    on_databases(async |database| {
        let service = tracker::tracker(database.service().await).auth(auth(tracker::auth()));
        let agents = Mcp::new().writes().rate_limit(RateLimit::new(100_000, Duration::from_mins(1)));
        proven(service.plugin(agents).expect("one plugin")).await;
    });
}

#[test]
fn followers_of_the_tracker_have_what_its_rules_say() {
    on_databases(async |database| {
        let service = tracker::tracker(database.service().await).auth(auth(tracker::auth()));
        proven(service.plugin(Events::new().every_audited_resource()).expect("one plugin")).await;
    });
}

#[test]
fn shop_does_what_its_rules_say() {
    on_databases(async |database| {
        proven(shop::shop(database.service().await).auth(auth(Auth::builder()))).await;
    });
}

/// A part, whose writers have a role.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination, audit, access(read(authenticated), write(role("editor")), delete(role("keeper"))))]
struct Part {
    id: i64,
    #[crud(length(max = 80))]
    name: String,
    #[crud(owner(except(role("keeper"))))]
    user_id: i64,
}

#[test]
fn keys_and_accounts_have_what_the_rules_say() {
    on_databases(async |database| {
        let service = database.service().await.auth(auth(Auth::builder())).plugin(ApiKeys::new()).expect("one plugin");
        let report = proven(service.resource::<Part>()).await;
        assert!(report.table().contains("an API key for admin"), "{}", report.table());
    });
}
