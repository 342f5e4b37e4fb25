//! [`Steps`]: kills of a command at each step of the files that it applies or reverts, those with the fewest kills first.
//!
//! | Database | A step is | It is killed |
//! |---|---|---|
//! | MySQL | a statement, which commits by itself | once the history has the begin of the statement |
//! | PostgreSQL | a statement of a transaction | while the file waits for a lock before it |
//! | PostgreSQL | a statement in no transaction | once the history has its begin |
//! | SQLite | a part of the time that the transaction takes | after the measured time |

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crud_tests::{Backend, Database, Server};

/// The first key of the locks for which files wait.
const GATES: i32 = 4711;

/// Number in the record of a file that is reverted, before its first statement.
const DOWN: i64 = -1_000_000_000;

/// Parts of the time of a transaction for each of its statements.
const PARTS: usize = 2;

/// A place at which a command is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A statement of the file of a version, which the history records before and after.
    Recorded { version: i64, statement: usize },
    /// A statement before which a file waits for the lock of this number.
    Gate(i32),
    /// A part of a measured time.
    Part(usize),
}

/// The steps of a command, with the number of kills at each.
pub(crate) struct Steps {
    command: &'static str,
    backend: Backend,
    places: Vec<(Step, usize)>,
    /// Time of a command that has nothing to do, and of one that applies the files.
    times: [Duration; 2],
}

impl Steps {
    /// The steps of a command that runs these files. `times`: of the command with nothing to do, and with the files.
    pub(crate) fn of(command: &'static str, backend: Backend, files: &[PathBuf], times: [Duration; 2]) -> Self {
        let texts: Vec<(i64, String)> = files.iter().map(|file| (version(file), read(file))).collect();
        let steps: Vec<Step> = match backend {
            Backend::Sqlite => {
                let count: usize = texts.iter().map(|(_, text)| statements(text)).sum();
                (0..PARTS * count).map(Step::Part).collect()
            }
            Backend::Postgres => texts.iter().flat_map(|(version, text)| in_postgres(*version, text)).collect(),
            _ => texts.iter().flat_map(|(version, text)| recorded(*version, statements(text))).collect(),
        };
        Self { command, backend, places: steps.into_iter().map(|step| (step, 0)).collect(), times }
    }

    /// Runs the command until it is killed at the step with the fewest kills, or ends.
    pub(crate) async fn kill(&mut self, program: &str, arguments: &[&str], database: &Database) {
        // A file may have nothing to revert.
        if self.places.is_empty() {
            return;
        }
        let fewest = self.places.iter().map(|(_, kills)| *kills).min().unwrap_or_default();
        // One that is missed again and again keeps no other one from its kills.
        let candidates: Vec<Step> =
            self.places.iter().filter(|(_, kills)| *kills == fewest).map(|(step, _)| *step).collect();
        let step = candidates[fastrand::usize(..candidates.len())];
        let killed = match step {
            Step::Recorded { version, statement } => {
                let begun = async || {
                    progress(database).await.is_some_and(|(of, halves)| of == version && halves > 2 * statement)
                };
                let was_running = Server::run_until(program, arguments, database, begun).await;
                let reached = progress(database).await.filter(|(_, halves)| was_running && halves % 2 == 1);
                reached.map(|(version, halves)| Step::Recorded { version, statement: halves / 2 })
            }
            Step::Gate(number) => {
                let mut gate = database.begin_transaction().await;
                gate.execute(&format!("SELECT pg_advisory_xact_lock({GATES}, {number})")).await;
                let waits = async || !database.texts(&waiting()).await.is_empty();
                let was_running = Server::run_until(program, arguments, database, waits).await;
                gate.commit().await;
                was_running.then_some(step)
            }
            Step::Part(part) => {
                let [idle, whole] = self.times;
                let parts = f64::from(u32::try_from(self.places.len()).expect("a few"));
                let place = (f64::from(u32::try_from(part).expect("a few")) + fastrand::f64()) / parts;
                let after = idle + whole.saturating_sub(idle).mul_f64(place);
                Server::run_until_killed(program, arguments, database, after).await.then_some(step)
            }
        };
        if let Some((_, kills)) = self.places.iter_mut().find(|(step, _)| Some(*step) == killed) {
            *kills += 1;
        }
    }

    /// Whether there was a kill at each step.
    pub(crate) fn is_covered(&self) -> bool {
        self.places.iter().all(|(_, kills)| *kills > 0)
    }

    /// Number of the steps.
    pub(crate) fn count(&self) -> usize {
        self.places.len()
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kills: Vec<String> = self.places.iter().map(|(_, kills)| kills.to_string()).collect();
        write!(f, "{}: {}: kills at each step: {}", self.backend.name(), self.command, kills.join(" "))
    }
}

/// Makes the files of PostgreSQL that are transactions wait for a lock before each statement, which is free unless a test
/// holds it.
pub(crate) fn add_gates(files: &[PathBuf]) {
    let mut number = 0;
    for file in files {
        let text = read(file);
        if text.starts_with("-- no-transaction") {
            continue;
        }
        let mut gated = String::new();
        let mut is_begun = false;
        // A down file is that of its up file again once both are hashed.
        for line in text.lines().filter(|line| !line.starts_with("-- For an up file")) {
            if !is_begun && is_code(line) {
                let gate = format!("SELECT pg_advisory_xact_lock({GATES}, {number});\n");
                gated += &gate;
                number += 1;
                is_begun = true;
            }
            is_begun &= !line.ends_with(';');
            gated += line;
            gated.push('\n');
        }
        fs::write(file, gated).expect("the file");
    }
}

fn in_postgres(version: i64, text: &str) -> Vec<Step> {
    if text.starts_with("-- no-transaction") {
        return recorded(version, 1).collect();
    }
    let begin = format!("SELECT pg_advisory_xact_lock({GATES}, ");
    let numbers = text.lines().filter_map(|line| line.strip_prefix(&begin)?.strip_suffix(");"));
    numbers.map(|number| Step::Gate(number.parse().expect("a number"))).collect()
}

fn recorded(version: i64, count: usize) -> impl Iterator<Item = Step> {
    (0..count).map(move |statement| Step::Recorded { version, statement })
}

fn is_code(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with("--")
}

/// Number of the statements of a file: each ends a line.
fn statements(text: &str) -> usize {
    text.lines().filter(|line| is_code(line) && line.ends_with(';')).count()
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).expect("the file")
}

fn version(file: &Path) -> i64 {
    let name = file.file_name().expect("a name").to_string_lossy();
    name.split('_').next().and_then(|version| version.parse().ok()).expect("a version")
}

/// The version of the file that has begun, and the number of half steps: an odd one is that of a statement that may have run.
async fn progress(database: &Database) -> Option<(i64, usize)> {
    const BEGUN: &str = "SELECT CONCAT(version, ' ', execution_time) FROM _crud_migrations WHERE NOT success";
    let record = database.texts(BEGUN).await.pop()?;
    let (version, number) = record.split_once(' ')?;
    let number: i64 = number.parse().ok()?;
    let halves = if number > DOWN { -2 - number } else { DOWN - number };
    Some((version.parse().ok()?, usize::try_from(halves).ok()?))
}

/// The query of the locks for which a file waits.
fn waiting() -> String {
    format!(
        "SELECT objid::text FROM pg_locks WHERE locktype = 'advisory' AND classid = {GATES} AND NOT granted \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
}

/// Time of a future.
pub(crate) async fn time(future: impl Future<Output = ()>) -> Duration {
    let begin = Instant::now();
    future.await;
    Instant::now().duration_since(begin)
}
