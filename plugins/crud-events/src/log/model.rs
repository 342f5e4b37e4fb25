//! A model of the numbering: transactions that commit in any order, servers that crash and pause, and a reader.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::head::{Head, Interval};

/// An entry of the log in the model.
#[derive(Debug, Clone, Copy)]
struct Row {
    record: u8,
    committed: bool,
}

/// A database with several writers. Ids are taken before commits, and a record is locked until its transaction ends.
#[derive(Debug)]
struct Database {
    next: i64,
    rows: BTreeMap<i64, Row>,
    /// Open transactions: the id that each has taken.
    open: Vec<i64>,
    head: Head,
    numbers: Vec<i64>,
    /// The server that holds the lock of the head.
    locked: Option<usize>,
}

/// The next statement of a numbering server.
#[derive(Debug, Clone)]
enum Step {
    Idle,
    Locked(Head),
    Newer(Head, Vec<i64>),
    Planned(Head, Vec<i64>),
}

impl Database {
    fn new() -> Self {
        let head = Head { last: 0, high: 0, open: Vec::new() };
        Self { next: 1, rows: BTreeMap::new(), open: Vec::new(), head, numbers: Vec::new(), locked: None }
    }

    fn is_locked(&self, record: u8) -> bool {
        self.open.iter().any(|id| self.rows[id].record == record)
    }

    fn committed(&self, wanted: impl Fn(i64) -> bool) -> Vec<i64> {
        self.rows.iter().filter(|(id, row)| row.committed && wanted(**id)).map(|(id, _)| *id).collect()
    }

    fn begin(&mut self, record: u8, skipped: i64) {
        if !self.is_locked(record) {
            // Rolled-back transactions leave gaps between ids.
            let id = self.next + skipped;
            self.next = id + 1;
            self.rows.insert(id, Row { record, committed: false });
            self.open.push(id);
        }
    }

    fn end(&mut self, at: usize, commits: bool) {
        if self.open.is_empty() {
            return;
        }
        let id = self.open.swap_remove(at % self.open.len());
        if commits {
            self.rows.get_mut(&id).expect("a row").committed = true;
        } else {
            self.rows.remove(&id);
        }
    }

    /// Runs one statement of a server.
    fn step(&mut self, server: usize, step: &Step) -> Step {
        match step {
            Step::Idle if self.locked.is_none() => {
                self.locked = Some(server);
                Step::Locked(self.head.clone())
            }
            Step::Idle => Step::Idle,
            Step::Locked(head) => Step::Newer(head.clone(), self.committed(|id| id > head.high)),
            Step::Newer(head, newer) => {
                let is_in = |id: i64| head.open.iter().any(|Interval(from, to)| (*from..=*to).contains(&id));
                let numbered: BTreeSet<i64> = self.numbers.iter().copied().collect();
                let late = self.committed(|id| is_in(id) && !numbered.contains(&id));
                Step::Planned(head.clone(), late.into_iter().chain(newer.iter().copied()).collect())
            }
            Step::Planned(head, ids) => {
                let mut head = head.clone();
                head.number(ids);
                self.head = head;
                self.numbers.extend(ids);
                self.locked = None;
                Step::Idle
            }
        }
    }

    /// Crashes a server, or ends its session after a long pause: its transaction is rolled back.
    fn crash(&mut self, server: usize) -> Step {
        if self.locked == Some(server) {
            self.locked = None;
        }
        Step::Idle
    }
}

/// The ids of each record, in the order of a sequence.
fn of_records(rows: &BTreeMap<i64, Row>, ids: &[i64]) -> HashMap<u8, Vec<i64>> {
    let mut of_records: HashMap<u8, Vec<i64>> = HashMap::new();
    for id in ids {
        of_records.entry(rows[id].record).or_default().push(*id);
    }
    of_records
}

#[test]
fn each_committed_entry_has_one_number_in_the_order_of_its_record() {
    for seed in 0..20_000 {
        let (mut random, mut database) = (fastrand::Rng::with_seed(seed), Database::new());
        let mut servers = vec![Step::Idle; 1 + usize::try_from(seed % 3).expect("a number")];
        // The ids that a reader has read, up to the last number.
        let mut read: Vec<i64> = Vec::new();
        for _ in 0..random.usize(20..80) {
            let server = random.usize(..servers.len());
            match random.u8(..12) {
                0..3 => database.begin(random.u8(..4), random.i64(0..2)),
                3..6 => database.end(random.usize(..8), random.u8(..5) > 0),
                6 => servers[server] = database.crash(server),
                7 => read = database.numbers.clone(),
                _ => servers[server] = database.step(server, &servers[server].clone()),
            }
            assert_eq!(read, database.numbers[..read.len()], "seed {seed}: nothing comes before what was read");
        }
        while !database.open.is_empty() {
            database.end(0, true);
        }
        for (server, step) in servers.iter_mut().enumerate() {
            *step = database.crash(server);
        }
        let mut step = Step::Idle;
        for _ in 0..8 {
            step = database.step(0, &step);
        }
        let mut numbered = database.numbers.clone();
        let ordered = of_records(&database.rows, &numbered);
        assert!(ordered.values().all(|ids| ids.is_sorted()), "seed {seed}: {ordered:?}");
        numbered.sort_unstable();
        assert_eq!(numbered, database.committed(|_| true), "seed {seed}: each has one number");
        assert_eq!(database.head.last, i64::try_from(numbered.len()).expect("a number"));
    }
}
