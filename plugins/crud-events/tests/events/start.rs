//! Starts that are refused.

use std::sync::Arc;

use crud_events::Events;
use crud_runtime::SessionVariables;
use crud_runtime::adapter::{Adapter, AdapterLayer, Capabilities};
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::{on_each_sql_backend, on_sqlite};
use serde_json::json;

use crate::board::{Card, Issue, create, now, poll};

#[derive(Debug, Clone, Resource)]
#[crud(pagination)]
struct Plain {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(audit(without(changes)))]
struct Brief {
    id: i64,
}

async fn error(service: Service) -> String {
    match service.test().await {
        Ok(_) => panic!("the service starts"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn resource_without_an_audit_log_is_named_with_the_attribute() {
    on_sqlite(async |database| {
        let service = || async { database.service().await };
        let plain = service().await.plugin(Events::new().resource::<Plain>()).expect("one").resource::<Plain>();
        assert!(error(plain).await.contains("add `audit` to its `#[crud(…)]`"));
        let brief = service().await.plugin(Events::new().resource::<Brief>()).expect("one").resource::<Brief>();
        assert!(error(brief).await.contains("`audit(without(changes))`"));
        let missing = service().await.plugin(Events::new().resource::<Card>()).expect("one");
        assert!(error(missing).await.contains("add `.resource::<Card>()`"));
    });
}

#[test]
fn functions_of_one_name_are_refused() {
    on_sqlite(async |database| {
        let refused = async |names: [&str; 2]| {
            let add = |events: Events, name: &&str| events.on_event(*name, async |_, _| Ok(()));
            let events = names.iter().fold(Events::new().resource::<Card>(), add);
            database.service().await.plugin(events).err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert!(refused(["index", "index"]).await.contains("another function has this name"));
        assert!(refused(["index", &"x".repeat(101)]).await.contains("1 to 100 characters"));
        assert_eq!(refused(["index", "mail"]).await, "");
    });
}

/// Storage whose shards assign keys by themselves.
#[derive(Debug)]
struct KeysByShards(Arc<dyn Adapter>);

impl AdapterLayer for KeysByShards {
    fn inner(&self) -> &dyn Adapter {
        &*self.0
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Some(Arc::new(Self(self.0.session(variables)?)))
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities().with_keys_by_shards()
    }
}

#[test]
fn keys_that_do_not_ascend_over_all_shards_are_refused() {
    on_sqlite(async |database| {
        let service = database.service().await.storage_layer(KeysByShards);
        let Err(error) = service.plugin(Events::new().resource::<Issue>()) else { panic!("the plugin is installed") };
        assert!(error.to_string().contains("set `auto-increment-increment` to 1 in each shard"), "{error}");
    });
}

#[test]
fn service_that_is_sharded_by_tenant_tells_each_tenant_its_changes() {
    on_each_sql_backend(async |database| {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("team").build();
        let service = database.service().await.shard_by_tenant().auth(auth.expect("authentication"));
        let service = service.plugin(Events::new().resource::<Issue>()).expect("one plugin").resource::<Issue>();
        let test = service.test().await.expect("the service");
        let of_team = |team: i64| test.as_principal(Principal::new(format!("user{team}"))).claim("team", team);
        let after = now(&of_team(1), "/issues/events").await;
        for team in [1, 2, 1] {
            create(&of_team(team), "/issues", json!({ "title": "leak" })).await;
        }
        for (team, number) in [(1, 2), (2, 1)] {
            assert_eq!(poll(&of_team(team), "/issues/events", &after).await.0.len(), number);
        }
    });
}
