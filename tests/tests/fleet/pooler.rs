//! Behind pgbouncer in transaction mode, where each transaction may run on another connection.

use std::time::{Duration, Instant};

use crud_runtime::Service;
use crud_tests::writer::{WRITE_TARGETS, Writer};
use crud_tests::{Api, Client, Cluster, Database, Pooler, kitchen};
use tokio::task::JoinSet;

use crate::support::{reconcile, with_postgres};

/// How long the writers run.
const LOAD: Duration = Duration::from_secs(2);

#[test]
fn two_services_share_three_connections_behind_a_transaction_pooler() {
    if !Pooler::is_possible() {
        return;
    }
    with_postgres(async {
        let cluster = Cluster::durable();
        let database = Database::in_cluster(&cluster);
        let pooler = Pooler::start(&cluster, "default_pool_size = 3");
        let start = async || {
            let service = Service::connect(&pooler.url(&database)).await.expect("a service behind pgbouncer");
            Api::start(&database, kitchen::kitchen(service).migrate().await.expect("the tables")).await
        };
        let services = [start().await, start().await];
        let mut writers = JoinSet::new();
        for (number, api) in services.iter().enumerate() {
            for target in WRITE_TARGETS {
                let client = Client::clone(api);
                writers.spawn(async move {
                    let mut writer = Writer::new(target, number);
                    let begin = Instant::now();
                    while begin.elapsed() < LOAD {
                        writer.step(&client).await.expect("an answer");
                    }
                    writer
                });
            }
        }
        let mut writers = writers.join_all().await;
        reconcile(&services[0], &mut writers).await;
        let changes: usize = writers.iter().map(Writer::changes).sum();
        assert!(changes > 20, "the writers write too little: {changes} changes");
        for api in services {
            api.stop().await;
        }
    });
}
