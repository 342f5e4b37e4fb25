//! `crud dev`: the program, built and started again after each change of its sources.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use notify::{Event, EventKind, RecursiveMode, Watcher};

use crate::output::{self, STRONG};
use crate::program::cargo;
use crate::project::Project;

/// Files of the project's directory whose change starts the program again.
const FILES: [&str; 4] = ["Cargo.toml", "build.rs", "crud.toml", ".env"];

/// Directories in which any change, at any depth, starts the program again.
const DIRECTORIES: [&str; 3] = ["src", "migrations", ".cargo"];

/// Time without another change after which the program is built: editors save in several steps.
const QUIET: Duration = Duration::from_millis(200);

/// Interval of the check whether the program still runs.
const LOOK: Duration = Duration::from_millis(500);

/// Runs the command, which ends with the terminal's interrupt.
pub(crate) fn run() -> Result<()> {
    let project = Project::find()?;
    // The watcher reports paths without symbolic links.
    let root = project.root.canonicalize().context("the project's directory cannot be read")?;
    let (sender, changes) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(sender).context("changes of files cannot be watched")?;
    watcher.watch(&root, RecursiveMode::NonRecursive).context("the project's directory cannot be watched")?;
    let mut service = Service { root: root.clone(), program: None };
    loop {
        // A directory may be new since the last change, such as that of migrations.
        for directory in DIRECTORIES.iter().map(|name| root.join(name)).filter(|directory| directory.is_dir()) {
            watcher.watch(&directory, RecursiveMode::Recursive).context("the sources cannot be watched")?;
        }
        service.build_and_start()?;
        service.wait(&Changes { root: &root, events: &changes })?;
    }
}

/// The events of the watcher.
struct Changes<'a> {
    root: &'a Path,
    events: &'a Receiver<notify::Result<Event>>,
}

impl Changes<'_> {
    /// The first file that has changed within a time, after which nothing changes for a moment.
    fn within(&self, time: Duration) -> Result<Option<PathBuf>> {
        let changed = match self.events.recv_timeout(time) {
            Ok(event) => self.relevant(event?),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => bail!("changes of files are no longer watched"),
        };
        if changed.is_some() {
            self.settle();
        }
        Ok(changed)
    }

    /// Waits until no file has changed for a moment. Other files, such as a database, may change all the time.
    fn settle(&self) {
        let mut last = Instant::now();
        while let Some(rest) = QUIET.checked_sub(last.elapsed()) {
            let event = self.events.recv_timeout(rest);
            if event.is_ok_and(|event| event.is_ok_and(|event| self.relevant(event).is_some())) {
                last = Instant::now();
            }
        }
    }

    /// The file of an event, if its change starts the program again; its path is relative to the project's directory.
    fn relevant(&self, event: Event) -> Option<PathBuf> {
        if matches!(event.kind, EventKind::Access(_)) {
            return None;
        }
        event.paths.into_iter().find_map(|path| {
            let path = path.strip_prefix(self.root).ok()?;
            let is_below = DIRECTORIES.iter().any(|directory| path.starts_with(directory));
            let is_file = FILES.iter().any(|file| path == Path::new(file));
            (is_below || is_file).then(|| path.to_owned())
        })
    }
}

/// The program of the project.
struct Service {
    root: PathBuf,
    program: Option<Child>,
}

impl Service {
    /// Builds the program, and replaces the running one. After a failed build, the running one stays.
    fn build_and_start(&mut self) -> Result<()> {
        if !self.cargo("build").status().context("cannot run cargo")?.success() {
            let running = if self.program.is_some() { "the last build serves on, and " } else { "" };
            return output::print(&format!("{STRONG}crud dev:{STRONG:#} {running}the next change builds again\n"));
        }
        self.stop();
        // cargo becomes the program.
        self.program = Some(self.cargo("run").spawn().context("cannot run cargo")?);
        Ok(())
    }

    /// Waits for a change; says when the program ends before.
    fn wait(&mut self, changes: &Changes<'_>) -> Result<()> {
        loop {
            if let Some(path) = changes.within(LOOK)? {
                return output::print(&format!("{STRONG}crud dev:{STRONG:#} {} has changed\n", path.display()));
            }
            let ended = self.program.as_mut().map(Child::try_wait).transpose().context("the program is lost")?;
            if let Some(Some(status)) = ended {
                self.program = None;
                output::print(&format!(
                    "{STRONG}crud dev:{STRONG:#} the program has ended ({status}): the next change starts it\n"
                ))?;
            }
        }
    }

    fn cargo(&self, task: &str) -> Command {
        cargo(&self.root, &[task, "--quiet"])
    }

    /// Ends the program. It may end at any time: acknowledged changes are stored.
    fn stop(&mut self) {
        if let Some(mut program) = self.program.take() {
            program.kill().ok();
            program.wait().ok();
        }
    }
}

/// The program does not outlive the command.
impl Drop for Service {
    fn drop(&mut self) {
        self.stop();
    }
}
