//! A document server that is killed under writers, while the service goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use crud_tests::replay::Replay;
use crud_tests::writer::{WRITE_TARGETS, Writer};
use crud_tests::{MongoDbProcess, Server};

use crate::{begin_to_write, random_moment, rounds, writer};

/// Writes until the server is killed.
async fn write_until_killed(service: &Server, process: &mut MongoDbProcess, writers: Vec<Writer>) -> Vec<Writer> {
    let acknowledged = Arc::default();
    let running = begin_to_write(service, writers, &acknowledged);
    random_moment(&acknowledged, 50).await;
    tokio::task::block_in_place(|| process.kill());
    running.join_all().await
}

#[test]
fn killed_server_loses_no_acknowledged_change_and_no_entry() {
    let Some(mut process) = MongoDbProcess::start() else { return };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let database = process.database();
        let service = Server::start(env!("CARGO_BIN_EXE_kitchen"), &database).await;
        let mut replays: BTreeMap<&str, Replay> = BTreeMap::new();
        let mut writers: Vec<_> = WRITE_TARGETS.map(|target| writer(&database, target, 0)).into();
        for _ in 0..rounds() {
            writers = write_until_killed(&service, &mut process, writers).await;
            tokio::task::block_in_place(|| process.restart());
            for target in WRITE_TARGETS {
                let replay = replays.entry(target.entity).or_default();
                replay.advance(&service, target).await;
                replay.reconcile(writers.iter_mut().filter(|writer| writer.target == target));
            }
        }
        let sum = |count: fn(&Writer) -> usize| writers.iter().map(count).sum::<usize>();
        eprintln!("the server killed {} times, {} changes acknowledged, none lost", rounds(), sum(Writer::changes));
        assert!(sum(Writer::changes) > rounds() * 2, "the writers write too little: {}", sum(Writer::changes));
        assert!(sum(Writer::unavailable) > 0, "no request met a killed server");
    });
}
