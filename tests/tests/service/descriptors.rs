//! The connection limit of a process with few file descriptors.

use std::time::Duration;

use crud_tests::fixtures::large_requests;
use crud_tests::{RawConnection, Server, on_each_sql_backend, within};

#[test]
fn clients_that_do_not_read_do_not_keep_others_out() {
    on_each_sql_backend(async |database| {
        let limited = ["-c", "ulimit -n 256 && exec \"$0\"", env!("CARGO_BIN_EXE_kitchen")];
        let server = Server::start_with("sh", &limited, &[], database).await;
        let mut silent = Vec::new();
        for _ in 0..300 {
            let mut connection = RawConnection::connect(server.address()).await;
            connection.send(large_requests(200)).await;
            silent.push(connection);
        }
        for route in ["/health", "/ready", "/entries"] {
            // A connection that is not read has its place for two seconds, if others have none.
            within(Duration::from_secs(2), route, async { server.get(route).await.ok() }).await;
        }
        let closed = silent.iter().filter(|connection| !connection.is_open()).count();
        assert!(closed > 0, "every connection has a place");
    });
}
