//! Two servers of one database.

use std::collections::BTreeSet;

use crud_tests::on_each_sql_backend;
use serde_json::json;

use crate::receiver::Receiver;
use crate::shop::{admin, deliver, make, shop};

#[test]
fn two_servers_deliver_nothing_twice() {
    on_each_sql_backend(async |database| {
        let receiver = Receiver::start().await;
        let (one, two) = (admin(&shop(database, &receiver).await), admin(&shop(database, &receiver).await));
        let made = make(&one, &receiver.url(), &[]).await;
        for _ in 0..200 {
            one.post(format!("/webhooks/{}/test", made["id"]), json!({})).await.expect(202);
        }
        let (first, second) = tokio::join!(deliver(&one), deliver(&two));
        assert_eq!(first + second, 200);
        let received = receiver.received();
        let ids: BTreeSet<_> = received.iter().map(|it| it.id.clone()).collect();
        assert_eq!((received.len(), ids.len()), (200, 200));
    });
}
