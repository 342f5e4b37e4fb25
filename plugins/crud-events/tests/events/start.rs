//! What a start refuses.

use crud_events::Events;
use crud_runtime::prelude::*;
use crud_tests::on_sqlite;

use crate::board::Card;

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
