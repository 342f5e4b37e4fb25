//! A move that is killed has moved every record or none, and can be repeated.

use std::env;
use std::time::Duration;

use crud_runtime::prelude::*;
use crud_runtime::query::Select;
use crud_tests::kitchen::{NewPost, NewTag, Post, PostPatch, Tag};
use crud_tests::moves::resources;
use crud_tests::{Backend, Database, Server, on_backends};

use crate::kills::Kills;
use crate::{ROUNDS_VARIABLE, rounds};

/// The records of each table, so many that moving them takes longer than creating the tables.
const RECORDS: usize = 3_000;

const PROGRAM: &str = env!("CARGO_BIN_EXE_mover");

async fn fill(service: &Service) {
    let (tags, posts) = (service.store::<Tag>(), service.store::<Post>());
    for chunk in (0..RECORDS).collect::<Vec<_>>().chunks(500) {
        let new = chunk.iter().map(|number| NewTag { slug: format!("{number:05}"), label: Some("x".repeat(100)) });
        tags.create_batch(new.collect::<Vec<_>>()).await.expect("tags");
        let new = chunk.iter().map(|number| NewPost { title: number.to_string(), parent_id: None });
        posts.create_batch(new.collect::<Vec<_>>()).await.expect("posts");
    }
    // References to later records are checked at the end of a move.
    let last = i64::try_from(RECORDS).expect("a key");
    posts.update(1, PostPatch::default().parent_id(last)).await.expect("the post");
}

async fn records(service: &Service) -> (Vec<Tag>, Vec<Post>) {
    let tags = service.store::<Tag>().list(Select::all()).await.expect("tags");
    (tags, service.store::<Post>().list(Select::all()).await.expect("posts"))
}

async fn survive(source: &Database, to: Backend, rounds: usize) {
    let service = resources(source.service().await).without_auth().migrate().await.expect("the tables");
    fill(&service).await;
    let all = records(&service).await;
    let (mut kills, mut whole) = (Kills::new(Duration::from_secs(2), rounds), 0);
    while kills.begin_round() {
        let target = to.fresh();
        let arguments = ["move", "--from", source.url(), "--to", target.url()];
        let after = kills.run(PROGRAM, &arguments, source).await;
        let left = resources(target.service().await).without_auth().migrate().await.expect("the tables");
        let moved = records(&left).await;
        if moved == all {
            whole += 1;
            continue;
        }
        assert!(moved.0.is_empty() && moved.1.is_empty(), "killed after {after:?}, a part was moved");
        let (status, printed) = Server::run(PROGRAM, &arguments, source).await;
        assert!(status.success(), "killed after {after:?}: {printed}");
        assert!(records(&left).await == all, "killed after {after:?}, the repetition moved something else");
    }
    eprintln!("{}: {kills}, {whole} moves were complete", to.name());
}

#[test]
fn killed_move_has_moved_every_record_or_none() {
    if env::var_os(ROUNDS_VARIABLE).is_none() {
        eprintln!("SKIPPED: {ROUNDS_VARIABLE}=200 kills moves");
        return;
    }
    // A round creates every table twice.
    let rounds = rounds().div_ceil(4);
    for to in [Backend::Sqlite, Backend::Postgres, Backend::MySql] {
        on_backends(Backend::Sqlite, to, async |source, _| survive(source, to, rounds).await);
    }
}
