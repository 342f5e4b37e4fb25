//! Behind pgbouncer in transaction mode, where each transaction may run on another connection.

use crud_runtime::Service;
use crud_tests::{Api, Cluster, Database, Pooler, kitchen, long};

use crate::support::load::Load;
use crate::support::{reconcile, with_postgres};

#[test]
fn two_services_share_three_connections_behind_a_transaction_pooler() {
    if !long("fleet") || !Pooler::is_possible() {
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
        let load = Load::start(&services.each_ref().map(|api| &**api));
        load.wait_for_changes(200).await;
        let mut writers = load.stop().await;
        assert!(writers.iter().all(|writer| writer.unavailable() == 0), "a change was refused");
        reconcile(&services[0], &mut writers).await;
        for api in services {
            api.stop().await;
        }
    });
}
