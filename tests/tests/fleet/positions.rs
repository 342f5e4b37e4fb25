//! Replication positions, as each server reports its own.

use std::time::Duration;

use crud_runtime::adapter::{Adapter, PostgresAdapter};
use crud_tests::{Cluster, Database, within};

use crate::support::{connect, wait_until, with_postgres_if_long};

/// Writes to the server's WAL until a record ends at a page boundary.
const FILL_A_PAGE: &str = "DO $$
    DECLARE at bigint; overhead bigint := 64;
    BEGIN
        FOR attempt IN 1..500 LOOP
            at := (pg_current_wal_insert_lsn() - '0/0') % 8192;
            IF at = 24 THEN RETURN; END IF;
            -- As much as is left of the page, less what comes around it, which an attempt or two find out.
            PERFORM pg_logical_emit_message(false, '', repeat('x', greatest(0, 8192 - at - overhead)::int));
            overhead := 40 + (attempt % 8) * 8;
        END LOOP;
        RAISE 'no record ends with a page';
    END $$";

#[test]
fn replica_reaches_the_primarys_position_at_a_page_boundary() {
    with_postgres_if_long(async {
        let primary = Cluster::durable();
        let database = Database::in_cluster(&primary);
        let replica = primary.replica();
        let at_primary = PostgresAdapter::connect(database.url()).await.expect("the primary");
        let at_replica = PostgresAdapter::replica(&database.url_in(&replica)).expect("the replica");
        let mut connection = connect(database.url()).await;
        sqlx::raw_sql(FILL_A_PAGE).execute(&mut connection).await.expect("a record ends with a page");
        let reached = wait_until("the replica has the primary's position", async || {
            let (written, replayed) = tokio::join!(at_primary.position(), at_replica.position());
            written.expect("the primary answers") == replayed.expect("the replica answers")
        });
        // After some time the server writes to the WAL by itself, which would hide the fault.
        within(Duration::from_secs(1), "the replica has the primary's position", reached).await;
    });
}
