//! A shop in fifteen releases with its records: the difference of each release is written, reviewed, applied, reverted and
//! applied again by the program's commands, and the records of every table are compared with those that the story expects.
//!
//! `CRUD_TEST_LONG=story` plays it with 80,000 records, applies each release that can below the servers of the one before, and
//! kills each command that applies a file.
//!
//! | Part | Module |
//! |---|---|
//! | The releases, and what their author edits | `releases` |
//! | The records that are expected | `records` |
//! | Commands that are killed | `kills` |
//! | The guide's examples | `book` |

mod book;
mod kills;
mod records;
mod releases;

use crud_tests::{Backend, Database, Server, amount, on_each_sql_backend};
use serde_json::json;

use self::kills::Kills;
use self::records::Shop;
use self::releases::{AFTER_BRANCHES, BEFORE_BRANCHES, FIRST, FORKED, LOYALTY, MERGED, RULES, Release, Written};
use crate::checkout::Checkout;
use crate::load::{self, Bodies, Load};

/// The program of every release.
const PROGRAM: &str = env!("CARGO_BIN_EXE_story");

/// The release that the guide on upgrades applies below the servers of the one before.
const ROLLED: &str = "3";

/// The line of `check` where nothing is missing.
const FITS: &str = "the database lacks nothing.";

/// The line of `migrate diff` where nothing differs.
const MATCHES: &str = "Nothing to write: the database matches the structs.";

/// A shop on a database, release by release.
struct Story<'a> {
    database: &'a Database,
    checkout: Checkout,
    /// The release that runs.
    release: &'static str,
    shop: Shop,
    /// Number of new records of each table and release.
    growth: usize,
    kills: Kills,
    /// Whether every release that can is applied while the one before serves, and not one alone.
    rolls: bool,
}

impl<'a> Story<'a> {
    /// Begins with a release of an empty database, and so many records of each of its tables.
    async fn begin(database: &'a Database, first: &Release, records: usize, kills: Kills) -> Self {
        let checkout = Checkout::new(PROGRAM);
        let (shop, growth) = (Shop::default(), records / 20);
        let rolls = amount("story", false, database.backend().is_server());
        let mut story = Self { database, checkout, release: "", shop, growth: records, kills, rolls };
        story.play(first).await;
        story.growth = growth;
        story
    }

    /// Plays a release: writes its migration, and plays that.
    async fn play(&mut self, release: &Release) {
        let former = self.checkout.branch();
        let files = self.write(&self.checkout, release).await;
        self.play_files(release, &files, &former).await;
    }

    /// Applies, reverts and applies the files of a release, and serves it. `former`: the checkout of the release before.
    async fn play_files(&mut self, release: &Release, files: &[String], former: &Checkout) {
        let mut after = self.shop.clone();
        (release.change)(&mut after);
        if let Some(bodies) = release.bodies.filter(|_| self.rolls || self.is_rolled_always(release)) {
            self.roll(release, bodies, former).await;
            self.expect(&after, &format!("{} is applied below the release before", release.name)).await;
            revert(&self.checkout, release.name, files.len(), self.database).await;
            let Some(reverted) = release.reverted else { panic!("it is not reverted") };
            reverted(&mut self.shop);
        }
        self.apply(release, files, &after).await;
        self.fits(&self.checkout, release).await;
        if let Some(reverted) = release.reverted.filter(|_| !files.is_empty()) {
            revert(&self.checkout, release.name, files.len(), self.database).await;
            reverted(&mut self.shop);
            self.expect(&self.shop, &format!("{} is reverted", release.name)).await;
            matches(former, self.release, self.database).await;
            self.apply(release, files, &after).await;
        }
        self.run(release, after).await;
    }

    /// Whether a release rolls in the default part too: that of the guide on upgrades.
    fn is_rolled_always(&self, release: &Release) -> bool {
        self.database.backend().is_server() && release.name == ROLLED
    }

    /// Applies a release while the one before serves, and serves both then: no request fails, and each reads what the other
    /// has written. The records that they write are deleted.
    async fn roll(&self, release: &Release, bodies: Bodies, former: &Checkout) {
        let start = async |checkout: &Checkout, release: &str| {
            Server::start_in(checkout.path(), PROGRAM, &[], &[("RELEASE", release)], self.database).await
        };
        let old = start(former, self.release).await;
        let load = Load::new(bodies);
        let change = async {
            load.more(5).await;
            apply(&self.checkout, release.name, self.database).await;
            load.more(5).await;
            load.stop();
        };
        let (failures, ()) = tokio::join!(load.run(load::Server::of(&old, true), &[]), change);
        assert_eq!(failures, [""; 0], "while {} is applied", release.name);

        let new = start(&self.checkout, release.name).await;
        let load = Load::new(bodies);
        let both = async {
            load.more(20).await;
            load.stop();
        };
        let servers = [load::Server::of(&old, true), load::Server::of(&new, false)];
        let (of_old, of_new, ()) =
            tokio::join!(load.run(servers[0], &servers[1..]), load.run(servers[1], &servers[..1]), both);
        assert_eq!([of_old, of_new].concat(), [""; 0], "beside {}", release.name);
        let table = bodies.list.trim_start_matches('/');
        let last = self.shop.count(table);
        self.database.execute(&format!("DELETE FROM \"{table}\" WHERE id > {last}")).await;
    }

    /// Writes and reviews the migration of a release; the names of its up files.
    async fn write(&self, checkout: &Checkout, release: &Release) -> Vec<String> {
        let before = checkout.files(".sql");
        checkout.done(release.name, &["migrate", "diff"], self.database).await;
        let files: Vec<String> = checkout.files(".sql").into_iter().filter(|file| !before.contains(file)).collect();
        let mut is_edited = false;
        let earlier: String = before.iter().map(|file| checkout.read(file)).collect();
        for file in &files {
            let text = checkout.read(file);
            let written = Written { backend: self.database.backend(), name: file, text: &text, earlier: &earlier };
            let edited = (release.review)(&written);
            checkout.write(file, &edited);
            is_edited |= edited != text;
        }
        if is_edited {
            checkout.done(release.name, &["migrate", "hash"], self.database).await;
        }
        files.into_iter().filter(|file| file.ends_with(".up.sql")).collect()
    }

    /// Applies what is pending; the records are `after` then, and nothing differs from the structs.
    async fn apply(&mut self, release: &Release, files: &[String], after: &Shop) {
        let (before, database) = (&self.shop, self.database);
        self.kills.play(&self.checkout, release, files, database, [before, after]).await;
        apply(&self.checkout, release.name, database).await;
        self.expect(after, &format!("{} is applied", release.name)).await;
    }

    /// The database has these records.
    async fn expect(&self, shop: &Shop, when: &str) {
        if let Err(difference) = shop.compare(self.database).await {
            panic!("{when}: {difference}\n{}", self.checkout.newest());
        }
    }

    /// Neither `check` nor `diff` of a release finds a difference.
    async fn fits(&self, checkout: &Checkout, release: &Release) {
        let checked = checkout.done(release.name, &["check", "--all"], self.database).await;
        let is_unused = |line: &str| line.contains("is in no field") || line.contains("serves no list of the structs");
        let is_different = |line: &&str| line.starts_with("  ") && !is_unused(line);
        let differences: Vec<&str> = checked.lines().filter(is_different).collect();
        let fits = checked.contains(FITS) && differences.is_empty();
        assert!(fits, "release {}: {checked}\n{}", release.name, checkout.newest());
        assert!(release.noted.is_none_or(|noted| checked.contains(noted)), "{checked}");
        matches(checkout, release.name, self.database).await;
    }

    /// Serves the release, whose records are these, and adds new ones.
    async fn run(&mut self, release: &Release, after: Shop) {
        self.shop = after;
        self.release = release.name;
        self.shop.grow(self.growth, self.database).await;
        self.expect(&self.shop, "records are added").await;
        let variables = [("RELEASE", release.name)];
        let server = Server::start_in(self.checkout.path(), PROGRAM, &[], &variables, self.database).await;
        server.get("/ready").await.ok();
        for list in release.lists {
            let list = server.get(*list).await.ok();
            assert!(list["data"].as_array().is_some_and(|items| !items.is_empty()), "{list}");
        }
        self.audit(&server).await;
    }

    /// An order is changed in release 9; later releases have the entry, by whichever name its struct and table have.
    async fn audit(&self, server: &Server) {
        match self.release {
            "9" => {
                server.patch("/orders/1", &json!({ "number": "A-0" })).await.ok();
                self.database.execute("UPDATE orders SET number = 'A-1', updated_at = created_at WHERE id = 1").await;
            }
            "10" | "10-table" | "11" | "12" => {
                let history = server.get("/orders/1/history").await.ok();
                assert!(history.to_string().contains("A-0"), "{history}");
            }
            _ => {}
        }
    }

    /// Plays two branches of the release that runs: the first is applied, and the second merged and rebased.
    async fn merge(&mut self, first: &Release, second: &Release) {
        let branch = self.checkout.branch();
        self.write(&branch, second).await;
        let base = self.checkout.files(".sql");
        branch.postpone(|file| !base.contains(&file.to_owned()));
        let written = branch.files(".up.sql").into_iter().filter(|file| !base.contains(file));
        let written: Vec<String> = written.collect();
        self.play(first).await;
        let former = self.checkout.branch();
        let before = self.checkout.files(".up.sql");

        self.checkout.merge(&branch);
        let refusal = self.checkout.refused(MERGED, &["migrate", "apply"], self.database).await;
        assert!(written.iter().all(|file| refusal.contains(file.as_str())), "{refusal}");
        let moved: Vec<&str> = written.iter().map(String::as_str).collect();
        let rebase = [&["migrate", "rebase"][..], moved.as_slice()].concat();
        self.checkout.done(MERGED, &rebase, self.database).await;
        let files: Vec<String> =
            self.checkout.files(".up.sql").into_iter().filter(|file| !before.contains(file)).collect();
        let merged = Release { name: MERGED, ..*second };
        self.play_files(&merged, &files, &former).await;
    }
}

/// Applies what is pending, and reviews the down files of edited up files as `apply` asks.
async fn apply(checkout: &Checkout, release: &str, database: &Database) {
    let said = checkout.done(release, &["migrate", "apply"], database).await;
    for line in said.lines().filter(|line| line.contains("would refuse a file")) {
        let quoted: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        let [_, _, down, hash] = quoted[..] else { panic!("{line}") };
        let begin = hash.rsplit_once(' ').expect("a hash").0;
        let text = checkout.read(down);
        let lines = text.lines().map(|line| if line.starts_with(begin) { hash } else { line }.to_owned() + "\n");
        checkout.write(down, &lines.collect::<String>());
        checkout.done(release, &["migrate", "hash"], database).await;
    }
}

/// `migrate diff` of a release would write nothing.
async fn matches(checkout: &Checkout, release: &str, database: &Database) {
    let said = checkout.done(release, &["migrate", "diff", "--check"], database).await;
    assert_eq!(said.trim_end(), MATCHES, "release {release}");
}

/// Reverts so many files.
async fn revert(checkout: &Checkout, release: &str, files: usize, database: &Database) {
    for _ in 0..files {
        checkout.done(release, &["migrate", "revert", "--yes"], database).await;
    }
}

/// Number of records of each table in the beginning.
fn records() -> usize {
    amount("story", 40, 20_000)
}

/// Number of kills of each command that applies files: 200 in all, in the long form.
fn kills(backend: Backend) -> Kills {
    Kills::new(backend, amount("story", 0, 7))
}

#[test]
fn shop_is_migrated_through_fifteen_releases() {
    on_each_sql_backend(async |database| {
        let mut story = Story::begin(database, &FIRST, records(), kills(database.backend())).await;
        for release in &BEFORE_BRANCHES {
            story.play(release).await;
        }
        story.merge(&LOYALTY, &RULES).await;
        for release in &AFTER_BRANCHES {
            story.play(release).await;
        }
        let verified = story.checkout.done(story.release, &["migrate", "verify"], database).await;
        assert_eq!(verified.trim_end(), "The migrations make what the structs need.");
        if database.backend() == Backend::Postgres {
            book::statements_are_in(&story.checkout.texts());
            book::lines_are_in(&story.checkout.printed());
        }
        story.kills.report(story.shop.len());
    });
}

#[test]
fn branches_are_merged_in_the_other_order() {
    on_each_sql_backend(async |database| {
        let mut story = Story::begin(database, &FORKED, records(), Kills::new(database.backend(), 0)).await;
        story.merge(&RULES, &LOYALTY).await;
        let verified = story.checkout.done(story.release, &["migrate", "verify"], database).await;
        assert_eq!(verified.trim_end(), "The migrations make what the structs need.");
    });
}
