//! Services on the nodes of a Galera cluster: `CRUD_TEST_GALERA=200 cargo test -p crud-tests --test fleet galera`, where
//! the number is that of the rounds of a race.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crud_runtime::Service;
use crud_tests::fixtures::{batch, records};
use crud_tests::kitchen::{Parcel, Team};
use crud_tests::{Api, Client, Galera, Times, wait_until, within};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::followed::{each_server_tells_every_change, followed};
use crate::support::load::wait_for_more;

/// The records that all batches of a round change.
const RECORDS: usize = 50;

/// Runs a test on a cluster, if this machine and the environment have one.
fn with_galera(test: impl AsyncFnOnce(&Galera, usize)) {
    let Some(rounds) = Galera::rounds() else { return };
    let galera = Galera::start();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(test(&galera, rounds));
}

/// A service on a node, whose connections have prepared nothing.
async fn service(galera: &Galera, node: usize) -> Api {
    let database = galera.database(node);
    let service = database.service().await.resource::<Team>().resource::<Parcel>();
    let service = service.migrate().await.expect("the tables");
    Api::start(&database, service).await
}

fn parcel(code: &str) -> Value {
    json!({ "code": code, "weight": 0 })
}

/// The entries of the records of a round, oldest first, and what is wrong with the first that does not fit.
///
/// `acknowledged`: the weights that answers of 200 set in all records.
async fn faults(client: &Client, parcels: &[Value], acknowledged: &[u32]) -> Vec<String> {
    let mut faults = Vec::new();
    for parcel in parcels {
        let path = format!("/parcels/{}", parcel["id"]);
        let history = client.get(format!("{path}/history?limit=100")).await.ok();
        let stored = client.get(&path).await.ok();
        let mut weight = json!(null);
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        let mut entries = records(&history).to_vec();
        entries.sort_by_key(|entry| entry["timestamp"].to_string());
        for entry in &entries {
            if entry["action"] == "update" && entry["previous"]["weight"] != weight {
                faults.push(format!("{weight} is followed by {entry}"));
            }
            weight = entry["changes"]["weight"].clone();
            *times.entry(weight.to_string()).or_default() += 1;
        }
        if stored["weight"] != weight {
            faults.push(format!("{stored} is not what its history ends with, {weight}"));
        }
        for weight in acknowledged {
            let count = times.get(&json!(f64::from(*weight)).to_string()).copied().unwrap_or_default();
            if count != 1 {
                faults.push(format!("the acknowledged weight {weight} has {count} entries in {path}"));
            }
        }
    }
    faults
}

#[test]
fn acknowledged_batches_of_the_same_records_on_two_nodes_are_in_their_histories() {
    with_galera(async |galera, rounds| {
        let observer = service(galera, 0).await;
        let (mut broken, mut statuses) = (0, BTreeMap::<u16, usize>::new());
        for round in 0..rounds {
            let bodies = (0..RECORDS).map(|number| parcel(&format!("{round} {number}")));
            let created = observer.post("/parcels/batch", &batch(bodies)).await.ok();
            let parcels = created["items"].as_array().expect("the records").clone();
            galera.catch_up(1);
            let (first, second) = tokio::join!(service(galera, 0), service(galera, 1));
            let mut requests = JoinSet::new();
            for writer in 0..6_u32 {
                let client = Client::clone(if writer % 2 == 0 { &first } else { &second });
                let weight = 1 + writer;
                let items = parcels.iter().map(|parcel| json!({ "id": parcel["id"], "weight": weight }));
                let body = batch(items);
                requests.spawn(async move { (weight, client.put("/parcels/batch", &body).await.status()) });
            }
            let answers = requests.join_all().await;
            for (_, status) in &answers {
                *statuses.entry(*status).or_default() += 1;
            }
            let acknowledged: Vec<u32> =
                answers.iter().filter(|(_, status)| *status == 200).map(|(weight, _)| *weight).collect();
            galera.catch_up(0);
            let faults = faults(&observer, &parcels, &acknowledged).await;
            if let Some(fault) = faults.first() {
                broken += 1;
                eprintln!("round {round}: {} faults: {fault}", faults.len());
            }
            first.stop().await;
            second.stop().await;
        }
        println!("{rounds} rounds, {broken} broken histories, statuses {statuses:?}");
        assert_eq!(broken, 0, "of {rounds} rounds; statuses {statuses:?}");
        assert!(statuses.keys().all(|status| matches!(status, 200 | 503)), "{statuses:?}");
    });
}

#[test]
fn sixty_simultaneous_updates_of_one_record_on_three_nodes_all_succeed() {
    with_galera(async |galera, rounds| {
        let services = [service(galera, 0).await, service(galera, 1).await, service(galera, 2).await];
        let times = Times::default();
        for round in 0..rounds.div_ceil(20) {
            let created = services[0].post("/parcels", &parcel(&format!("hot {round}"))).await.created();
            galera.catch_up(1);
            galera.catch_up(2);
            let mut requests = JoinSet::new();
            for writer in 0..60_u32 {
                let (client, path) =
                    (Client::clone(&services[writer as usize % 3]), format!("/parcels/{}", created["id"]));
                requests.spawn(async move {
                    let answer = client.put(path, &json!({ "weight": 1 + writer })).await;
                    (1 + writer, answer.status())
                });
            }
            let answers = times.of(requests.join_all()).await;
            let refused = answers.iter().filter(|(_, status)| *status != 200).count();
            assert_eq!(refused, 0, "{answers:?}");
            galera.catch_up(0);
            let weights: Vec<u32> = answers.into_iter().map(|(weight, _)| weight).collect();
            let faults = faults(&services[0], &[created], &weights).await;
            assert_eq!(faults, Vec::<String>::new());
        }
        println!("sixty updates: {times}");
    });
}

#[test]
fn services_that_start_at_once_on_three_nodes_create_their_tables() {
    with_galera(async |galera, rounds| {
        for round in 0..rounds.div_ceil(40) {
            tokio::task::block_in_place(|| galera.empty());
            let mut starts = JoinSet::new();
            for number in 0..9 {
                let service = shop::open_shop(galera.database(number % 3).service().await);
                starts.spawn(async move { service.migrate().await.map(drop).map_err(|error| format!("{error:?}")) });
            }
            let results = starts.join_all().await;
            assert!(results.iter().all(Result::is_ok), "round {round}: {results:?}");
        }
    });
}

/// A writer's knowledge of a parcel.
struct Written {
    path: String,
    acknowledged: u32,
    attempted: u32,
}

/// Creates and updates parcels until `load` is stopped.
async fn write(client: Client, name: usize, load: Arc<Load>) -> Vec<Written> {
    let (mut parcels, node) = (Vec::new(), &load.nodes[name % 3]);
    for number in 0.. {
        if load.stop.load(Ordering::Relaxed) {
            break;
        }
        let answer = client.post("/parcels", &parcel(&format!("{name} {number}"))).await;
        node.answered(answer.status());
        if answer.status() != 201 {
            continue;
        }
        let mut written = Written { path: format!("/parcels/{}", answer.json()["id"]), acknowledged: 0, attempted: 0 };
        for weight in 1..4 {
            written.attempted = weight;
            let status = client.put(&written.path, &json!({ "weight": weight })).await.status();
            node.answered(status);
            if status == 200 {
                written.acknowledged = weight;
            }
        }
        parcels.push(written);
    }
    parcels
}

/// The answers of one node.
#[derive(Debug, Default)]
struct Answers {
    statuses: Mutex<BTreeMap<u16, usize>>,
    acknowledged: AtomicUsize,
    /// The times between acknowledged changes.
    gaps: Times,
}

impl Answers {
    fn answered(&self, status: u16) {
        *self.statuses.lock().expect("the statuses").entry(status).or_default() += 1;
        if status < 300 {
            self.acknowledged.fetch_add(1, Ordering::Relaxed);
            self.gaps.mark();
        }
    }

    /// Waits until this many more changes are acknowledged.
    async fn wait_for_changes(&self, count: usize) {
        wait_for_more("changes are acknowledged", &self.acknowledged, count).await;
    }
}

/// State that the writers on each node share.
#[derive(Debug, Default)]
struct Load {
    nodes: [Answers; 3],
    stop: AtomicBool,
}

/// Two writers on each node.
struct Writers {
    running: JoinSet<(usize, Vec<Written>)>,
    load: Arc<Load>,
}

impl Writers {
    fn start(services: &[Api; 3]) -> Self {
        let (mut running, load) = (JoinSet::new(), Arc::<Load>::default());
        for name in 0..6 {
            let (node, client, load) = (name % 3, Client::clone(&services[name % 3]), load.clone());
            running.spawn(async move { (node, write(client, name, load).await) });
        }
        Self { running, load }
    }

    /// The answers of a node.
    fn node(&self, node: usize) -> &Answers {
        &self.load.nodes[node]
    }
}

/// Stops the writers. Every node has what was acknowledged, each record's history ends with it, and every other answer
/// was 503.
async fn nothing_is_lost(galera: &Galera, services: &[Api; 3], writers: Writers) {
    writers.load.stop.store(true, Ordering::Relaxed);
    let written = writers.running.join_all().await;
    tokio::task::block_in_place(|| (0..3).for_each(|node| galera.catch_up(node)));
    let mut acknowledged = 0;
    for (node, parcels) in written {
        for Written { path, acknowledged: at_least, attempted } in parcels {
            acknowledged += 1 + at_least;
            let stored = services[2].get(&path).await.ok()["weight"].as_f64().expect("a weight");
            assert!((f64::from(at_least)..=f64::from(attempted)).contains(&stored), "{path}: {stored}, not {at_least}");
            let elsewhere = services[(node + 1) % 3].get(&path).await.ok()["weight"].as_f64();
            assert_eq!(elsewhere, Some(stored), "{path} differs between nodes");
            let history = services[2].get(format!("{path}/history?limit=100")).await.ok();
            let last = records(&history).iter().max_by_key(|entry| entry["timestamp"].to_string());
            assert_eq!(last.map(|entry| entry["changes"]["weight"].clone()), Some(json!(stored)), "{path}");
        }
    }
    println!("{acknowledged} acknowledged changes");
    for (node, answers) in writers.load.nodes.iter().enumerate() {
        let statuses = answers.statuses.lock().expect("the statuses").clone();
        println!("node {node}: {statuses:?}; between two changes: {}", answers.gaps);
        assert!(statuses.keys().all(|status| matches!(status, 200 | 201 | 503)), "{statuses:?}");
    }
}

#[test]
fn killed_node_that_returns_loses_nothing_acknowledged() {
    with_galera(async |galera, _| {
        let services = [service(galera, 0).await, service(galera, 1).await, service(galera, 2).await];
        let writers = Writers::start(&services);
        writers.node(2).wait_for_changes(50).await;
        tokio::task::block_in_place(|| galera.kill(2));
        writers.node(0).wait_for_changes(50).await;
        tokio::task::block_in_place(|| galera.restart(2));
        writers.node(2).wait_for_changes(50).await;
        nothing_is_lost(galera, &services, writers).await;
    });
}

/// Waits until a node's service is ready, or is not. Every answer is one of both.
async fn wait_for_ready(client: &Client, ready: bool) {
    wait_until(if ready { "ready" } else { "not ready" }, async || {
        let answer = client.get("/ready").await;
        assert!(matches!(answer.status(), 200 | 503), "{answer}");
        (answer.status() == 200) == ready
    })
    .await;
}

/// Reads and changes on a node are 503 with `Retry-After`.
async fn is_unavailable(client: &Client) {
    for answer in [client.get("/parcels").await, client.post("/parcels", &parcel("minority")).await] {
        assert!(answer.header("retry-after").is_some(), "{answer}");
        answer.problem("unavailable");
    }
}

/// Runs a test on a cluster whose nodes can be cut off.
fn with_network(test: impl AsyncFnOnce(&Galera)) {
    if Galera::rounds().is_none() {
        return;
    }
    let Some(galera) = Galera::start_on_network() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(test(&galera));
}

#[test]
fn node_without_quorum_is_503_until_the_others_return() {
    with_network(async |galera| {
        let services = [service(galera, 0).await, service(galera, 1).await, service(galera, 2).await];
        let writers = Writers::start(&services);
        writers.node(1).wait_for_changes(50).await;
        tokio::task::block_in_place(|| [1, 2].map(|node| galera.kill(node)));
        let (gone, back) = (Times::default(), Times::default());
        gone.of(wait_for_ready(&services[0], false)).await;
        for _ in 0..10 {
            is_unavailable(&services[0]).await;
        }
        tokio::task::block_in_place(|| galera.restart_all(&[1, 2]));
        back.of(wait_for_ready(&services[0], true)).await;
        println!("not ready after the loss of quorum: {gone}; ready after the start of the others: {back}");
        writers.node(0).wait_for_changes(50).await;
        nothing_is_lost(galera, &services, writers).await;
    });
}

#[test]
fn minority_of_a_partition_is_503_and_the_majority_goes_on() {
    with_network(async |galera| {
        let services = [service(galera, 0).await, service(galera, 1).await, service(galera, 2).await];
        let writers = Writers::start(&services);
        writers.node(2).wait_for_changes(50).await;
        galera.cut(2);
        let (gone, back) = (Times::default(), Times::default());
        gone.of(wait_for_ready(&services[2], false)).await;
        is_unavailable(&services[2]).await;
        wait_for_ready(&services[0], true).await;
        within(Duration::from_secs(12), "the majority goes on", writers.node(0).wait_for_changes(50)).await;
        let code = parcel("of the majority");
        services[0].post("/parcels", &code).await.created();
        is_unavailable(&services[2]).await;
        galera.heal(2);
        back.of(wait_for_ready(&services[2], true)).await;
        println!("not ready after the cut: {gone}; ready after its end: {back}");
        writers.node(2).wait_for_changes(50).await;
        nothing_is_lost(galera, &services, writers).await;
    });
}

/// Creates records on one node and reads each on another at once; how many it misses, and how long the reads take.
async fn read_on(writer: &Client, reader: &Client, prefix: &str) -> (usize, Times) {
    const READS: u32 = 300;
    let (mut missed, times) = (0, Times::default());
    for number in 0..READS {
        let created = writer.post("/parcels", &parcel(&format!("{prefix} {number}"))).await.created();
        let read = times.of(async { reader.get(format!("/parcels/{}", created["id"])).await }).await;
        missed += usize::from(read.status() == 404);
    }
    (missed, times)
}

#[test]
fn reads_that_wait_miss_no_change_of_another_node() {
    with_galera(async |galera, _| {
        let writer = service(galera, 0).await;
        galera.catch_up(1);
        let reader = service(galera, 1).await;
        let url = galera.url(1);
        let url = format!("{url}{}sync_wait=1", if url.contains('?') { '&' } else { '?' });
        let waiting = Service::connect(&url).await.expect("the node").resource::<Team>().resource::<Parcel>();
        let waiting = Api::start(&galera.database(1), waiting.migrate().await.expect("the tables")).await;
        let (missed, took) = read_on(&writer, &reader, "at once").await;
        println!("without `sync_wait`: {missed} of 300 missed; a read: {took}");
        let (missed, took) = read_on(&writer, &waiting, "waits").await;
        println!("with `sync_wait=1`: {missed} of 300 missed; a read: {took}");
        assert_eq!(missed, 0);
        for api in [writer, reader, waiting] {
            api.stop().await;
        }
    });
}

#[test]
fn services_on_three_nodes_tell_every_change() {
    with_galera(async |galera, rounds| {
        for _ in 0..rounds.div_ceil(50) {
            galera.empty();
            let mut services = Vec::new();
            for node in 0..3 {
                let database = galera.database(node);
                let service = followed(database.service().await).migrate().await.expect("the tables");
                services.push(Api::start(&database, service).await);
                galera.catch_up((node + 1) % 3);
            }
            each_server_tells_every_change(&services, || (0..3).for_each(|node| galera.catch_up(node))).await;
            for service in services {
                service.stop().await;
            }
        }
    });
}
