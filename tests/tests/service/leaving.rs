//! Clients that leave while their lists are read, and the others, which get what they asked for.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crud_runtime::prelude::*;
use crud_tests::fixtures::batch;
use crud_tests::{Api, Backend, Client, RawConnection, free_address, on_each_sql_backend, pause};
use futures_util::future::join_all;
use serde_json::json;

/// A record whose lists of two filters read the whole table.
#[derive(Debug, Clone, Resource)]
#[crud(table = "parcels", prefix = "/parcels", filter(label, weight), batch, pagination)]
struct Parcel {
    id: i64,
    label: String,
    weight: i32,
}

const LIST: &str = "/parcels?label__contains=7&weight__gte=50";

const LEAVING: usize = 24;
const STAYING: usize = 8;

/// Number of lists that each of those that stay reads.
const LISTS: usize = 100;

/// Sends lists and closes the connection before most of them are answered.
async fn leave(address: SocketAddr, stop: &AtomicBool, mut random: fastrand::Rng) {
    while !stop.load(Ordering::Relaxed) {
        let mut connection = RawConnection::connect(address).await;
        connection.send(format!("GET {LIST} HTTP/1.1\r\nHost: x\r\n\r\n")).await;
        pause("before the list is there, most often", Duration::from_micros(random.u64(0..10_000))).await;
    }
}

/// Sends lists and waits for each; the statuses by their number.
async fn stay(client: &Client) -> BTreeMap<u16, usize> {
    let mut statuses = BTreeMap::new();
    for _ in 0..LISTS {
        *statuses.entry(client.get(LIST).await.status()).or_default() += 1;
    }
    statuses
}

#[test]
fn a_client_that_leaves_interrupts_no_list_of_another() {
    on_each_sql_backend(async |database| {
        let metrics = free_address().to_string();
        let service = database.service().await.resource::<Parcel>().metrics(&metrics);
        let api = Api::start(database, service.migrate().await.expect("the table")).await;
        for thousand in 0..5 {
            let items =
                (0..1000).map(|number| json!({ "label": format!("{thousand} {number}"), "weight": number % 100 }));
            api.post("/parcels/batch", &batch(items)).await.ok();
        }
        let stop = AtomicBool::new(false);
        let leaving = (0..LEAVING as u64).map(|seed| leave(api.address(), &stop, fastrand::Rng::with_seed(seed)));
        let staying = async {
            let statuses = join_all((0..STAYING).map(|_| stay(&api))).await;
            stop.store(true, Ordering::Relaxed);
            statuses
        };
        let (statuses, _) = tokio::join!(staying, join_all(leaving));
        let mut all: BTreeMap<u16, usize> = BTreeMap::new();
        statuses.into_iter().flatten().for_each(|(status, count)| *all.entry(status).or_default() += count);
        assert_eq!(all, BTreeMap::from([(200, STAYING * LISTS)]));
        let text = Client::of_program(format!("http://{metrics}"), database.secrets())
            .get("/metrics")
            .await
            .expect(200)
            .text();
        let repeats: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("crud_database_repeats_total ")).collect();
        if !repeats.is_empty() || api.backend() == Backend::Sqlite {
            assert_eq!(repeats, ["0"], "no list is run again to hide that it was interrupted");
        }
        api.stop().await;
    });
}
