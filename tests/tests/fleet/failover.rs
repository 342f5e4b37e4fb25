//! The loss of a primary: a standby is promoted, and the service follows it.

use std::time::Duration;

use crud_tests::writer::Writer;
use crud_tests::{Cluster, Database, Server, Times};

use crate::support::load::Load;
use crate::support::three::{Three, count_tags, wait_for_writes, with};
use crate::support::{holds, reconcile, synchronous, wait_until_checked, with_postgres, with_postgres_if_long};

/// Time limit for a service to write again after a promotion.
const LIMIT: Duration = Duration::from_secs(5);

#[test]
fn promotion_is_followed_and_nothing_acknowledged_is_lost() {
    with_postgres(async {
        let first = Cluster::durable();
        let own = Database::in_cluster(&first);
        let second = first.replica();
        // A commit waits for the standby, so that its promotion loses none.
        synchronous(own.url(), Some("*")).await;
        let database = own.in_all(&[&second, &first]);
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), &database).await;
        let load = Load::start(&[&server]);
        load.wait_for_changes(50).await;
        with(&first, Cluster::stop).await;
        load.wait_for_refusals(10).await;
        with(&second, Cluster::promote).await;
        let away = Times::default();
        away.of(wait_for_writes(&server, LIMIT)).await;
        println!("from the promotion to the next change: {away}");
        load.wait_for_changes(50).await;
        // The old primary comes back, does not know that it was replaced, and would take changes.
        with(&first, Cluster::start).await;
        synchronous(own.url(), None).await;
        wait_until_checked(own.url()).await;
        wait_for_writes(&server, Duration::from_secs(1)).await;
        load.wait_for_changes(50).await;

        let mut writers = load.stop().await;
        reconcile(&server, &mut writers).await;
        assert!(writers.iter().map(Writer::unavailable).sum::<usize>() > 0, "no request met the stopped primary");
        // A service that starts now chooses the new primary too.
        let later = Server::start(env!("CARGO_BIN_EXE_kitchen"), &own.in_all(&[&first, &second])).await;
        reconcile(&later, &mut writers).await;
    });
}

#[test]
fn killed_primary_is_followed_to_one_standby_and_the_other_follows_too() {
    with_postgres_if_long(async {
        let three = Three::start(Duration::from_secs(30)).await;
        let clients = three.clients(6);
        clients.wait_for_changes(50).await;
        with(&three.first, Cluster::stop).await;
        clients.wait_for_answers().await;
        with(&three.second, Cluster::promote).await;
        wait_for_writes(&three.api, LIMIT).await;
        three.third_follows_second().await;
        // The old primary comes back as if nothing had happened, and takes changes from clients that know it alone.
        with(&three.first, Cluster::start).await;
        let old = three.own.url_in(&three.first);
        let before = format!("(SELECT count(*) FROM tags) = {}", count_tags(&old).await);
        wait_until_checked(&old).await;
        clients.wait_for_changes(50).await;
        assert!(holds(&old, &before).await, "the service writes to the old primary");
        let statuses = three.reconcile(clients).await;
        assert!(statuses.keys().all(|status| matches!(status, 201 | 503)), "{statuses:?}");
        three.end().await;
    });
}

#[test]
fn hanging_primary_is_followed_to_a_standby() {
    with_postgres_if_long(async {
        let three = Three::start(Duration::from_secs(4)).await;
        let clients = three.clients(6);
        clients.wait_for_changes(50).await;
        let frozen = three.first.freeze();
        with(&three.second, Cluster::promote).await;
        // A request on a connection to the server that hangs takes its whole time, and the next one goes elsewhere.
        clients.wait_for_changes(50).await;
        drop(frozen);
        wait_until_checked(&three.own.url_in(&three.first)).await;
        clients.wait_for_changes(50).await;
        let statuses = three.reconcile(clients).await;
        assert!(statuses.keys().all(|status| matches!(status, 201 | 503 | 504)), "{statuses:?}");
        three.end().await;
    });
}
