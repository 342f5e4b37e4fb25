//! A disk that takes nothing, and a file that is gone: `/ready` tells, and changes are 503 `unavailable`.

use std::process::Command;

use crud_tests::{Answer, Backend, Database, Server, on_each_sql_backend, wait_until};
use serde_json::{Value, json};

/// The limit of a file's size, in blocks of 512 or 1,024 bytes.
const BLOCKS: u32 = 4_000;

/// Detail of the problem.
const FULL_DISK: &str = "the database takes no change: its disk is full or fails";

/// A service whose files cannot grow beyond a size, as on a full disk.
const PROGRAM: &str = env!("CARGO_BIN_EXE_kitchen");

/// Creates of records that fill the disk.
struct Filling {
    prefix: &'static str,
    /// Whether each request has a key, so that others may share its commit.
    keyed: bool,
    /// The body of a record with this text.
    body: fn(String) -> Value,
}

const ENTRIES: Filling = Filling { prefix: "/entries", keyed: false, body: |text| json!({ "text": text }) };

const PAYMENTS: Filling =
    Filling { prefix: "/payments", keyed: true, body: |text| json!({ "reference": text, "amount": 1 }) };

impl Filling {
    async fn create(&self, server: &Server, text: String) -> Answer {
        let key = self.keyed.then(|| format!("{}", fastrand::u128(..)));
        let request = server.post(self.prefix, &(self.body)(text));
        match key {
            Some(key) => request.header("idempotency-key", &key).await,
            None => request.await,
        }
    }

    async fn large(&self, server: &Server, number: usize) -> Answer {
        self.create(server, format!("{number:08}").repeat(8_000)).await
    }

    /// The number of records: of the list, or what its page says.
    async fn count(&self, server: &Server) -> usize {
        let list = server.get(self.prefix).await.ok();
        let total = || list["total"].as_u64().and_then(|total| total.try_into().ok()).expect("a total");
        list.as_array().map_or_else(total, Vec::len)
    }
}

/// `CRUD_TEST_FULL_DISKS` says how many times the disk is full instead of one.
#[test]
fn full_disk_is_told_and_recovered_from() {
    on_each_sql_backend(async |database| {
        if database.backend() == Backend::Sqlite {
            fill_and_recover(database, &ENTRIES).await;
        }
    });
}

#[test]
fn full_disk_is_told_by_changes_that_share_a_commit() {
    on_each_sql_backend(async |database| {
        if database.backend() == Backend::Sqlite {
            fill_and_recover(database, &PAYMENTS).await;
        }
    });
}

async fn fill_and_recover(database: &Database, filling: &Filling) {
    let script = format!("trap '' XFSZ; ulimit -S -f {BLOCKS}; exec {PROGRAM}");
    let server = Server::start_with("sh", &["-c", &script], &[("WITH_PAYMENTS", "1")], database).await;
    server.get("/ready").await.ok();
    let pid = server.id().to_string();
    let limit = |limit: &str| {
        let set = Command::new("prlimit").args([&format!("--fsize={limit}"), "--pid", &pid]).status();
        set.is_ok_and(|status| status.success())
    };
    let rounds: usize = std::env::var("CRUD_TEST_FULL_DISKS").map_or(1, |text| text.parse().expect("a number"));
    let mut made = 0;
    for round in 1..=rounds {
        made = fill(&server, filling, made).await;
        if !limit("unlimited:unlimited") {
            return;
        }
        wait_until("the service is ready", async || server.get("/ready").await.status() == 200).await;
        filling.large(&server, made).await.created();
        made += 1;
        server.get("/ready").await.ok();
        assert_eq!(filling.count(&server).await, made);
        // The next time, some megabytes later.
        assert!(round == rounds || limit(&format!("{}:", (round + 1) * 4_000_000)));
    }
    println!("a full disk {rounds} times, {made} changes acknowledged, none lost");
}

/// Creates records until the disk is full, of which so many are made; how many there are then.
async fn fill(server: &Server, filling: &Filling, mut made: usize) -> usize {
    let before = made;
    loop {
        let answer = filling.large(server, made).await;
        if answer.status() != 201 {
            assert_eq!(answer.header("retry-after"), Some("1"), "{answer}");
            answer.problem("unavailable");
            break;
        }
        made += 1;
        assert!(made < before + 1_000, "the files grow");
    }
    // Each of a load balancer's frequent probes is answered 503 with the cause.
    for _ in 0..40 {
        let answer = filling.large(server, made).await;
        assert_eq!(answer.status(), 503, "{answer}");
        for answer in [answer, server.get("/ready").await] {
            assert_eq!(answer.problem("unavailable").detail, FULL_DISK);
        }
    }
    // The rest of the space is for smaller ones.
    for attempt in 0.. {
        assert!(attempt < 200, "the service is ready");
        if filling.create(server, "x".to_owned()).await.status() != 201 {
            break;
        }
        made += 1;
        server.get("/ready").await.problem("unavailable");
    }
    server.get("/ready").await.problem("unavailable");
    server.get("/health").await.ok();
    assert_eq!(filling.count(server).await, made, "reads go on");
    made
}

/// The statements after which each insert into a table fails as on a full disk.
fn full(backend: Backend, table: &str) -> String {
    match backend {
        Backend::Postgres => format!(
            "CREATE FUNCTION full_{table}() RETURNS trigger LANGUAGE plpgsql AS \
             'BEGIN RAISE EXCEPTION ''No space left on device'' USING ERRCODE = ''disk_full''; END'; \
             CREATE TRIGGER full_disk BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION full_{table}()"
        ),
        _ => format!(
            "CREATE TRIGGER full_{table} BEFORE INSERT ON {table} FOR EACH ROW \
             SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1021, MESSAGE_TEXT = 'Disk full'"
        ),
    }
}

/// The statement after which they succeed.
fn room(backend: Backend, table: &str) -> String {
    match backend {
        Backend::Postgres => format!("DROP TRIGGER full_disk ON {table}"),
        _ => format!("DROP TRIGGER full_{table}"),
    }
}

/// The servers' own error, raised by a trigger: `/ready` names the disk after a failed change, by one statement or in a
/// transaction, although a read succeeds, and is 200 again some seconds after the last one.
#[test]
fn full_disk_of_a_server_is_told() {
    on_each_sql_backend(async |database| {
        let backend = database.backend();
        if backend == Backend::Sqlite {
            return;
        }
        let server = Server::start_with(PROGRAM, &[], &[("WITH_PAYMENTS", "1")], database).await;
        for filling in [ENTRIES, PAYMENTS] {
            let table = filling.prefix.trim_start_matches('/');
            server.get("/ready").await.ok();
            database.execute(&full(backend, table)).await;
            for answer in [filling.create(&server, "x".to_owned()).await, server.get("/ready").await] {
                assert_eq!(answer.status(), 503);
                assert_eq!(answer.problem("unavailable").detail, FULL_DISK);
            }
            assert_eq!(filling.count(&server).await, 0, "reads go on");
            database.execute(&room(backend, table)).await;
            filling.create(&server, "x".to_owned()).await.created();
            server.get("/ready").await.problem("unavailable");
            wait_until("the service is ready", async || server.get("/ready").await.status() == 200).await;
        }
    });
}

#[test]
fn removed_file_is_told() {
    on_each_sql_backend(async |database| {
        if database.backend() != Backend::Sqlite {
            return;
        }
        let server = Server::start(PROGRAM, database).await;
        server.get("/ready").await.ok();
        let url = database.url();
        let path = url.trim_start_matches("sqlite:").trim_start_matches("//").split('?').next().expect("a path");
        let path = path.to_owned();
        let moved = format!("{path}.moved");
        std::fs::rename(&path, &moved).expect("the file is there");
        server.get("/ready").await.problem("unavailable");
        std::fs::rename(&moved, &path).expect("the file is there");
        server.get("/ready").await.ok();
    });
}
