//! [`Frozen`]: stopped processes of a server, which accepts connections and does not respond.

use std::fs;
use std::process::Command;
use std::thread::panicking;

use crate::wait::wait_on_thread;

/// Stopped processes, which continue when this is dropped.
#[derive(Debug)]
pub(crate) struct Frozen(Vec<String>);

impl Frozen {
    /// Stops a process, and returns when it is stopped.
    ///
    /// # Panics
    /// When it cannot be signalled.
    pub(crate) fn stop(process: &str) -> Self {
        let frozen = Self(vec![process.to_owned()]);
        frozen.signal("STOP");
        wait_on_thread("the server stops", String::new, || {
            let state = fs::read_to_string(format!("/proc/{process}/stat")).expect("the server runs");
            if state.contains(") T ") { Ok(()) } else { Err(state) }
        });
        frozen
    }

    /// Stops the processes that a process has started, which goes on last.
    ///
    /// # Panics
    /// When they cannot be signalled.
    pub(crate) fn with_children(mut self, process: &str) -> Self {
        // As long as it is stopped, it has the same children, those that have ended included.
        let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).expect("its children");
        self.0.splice(0..0, children.split_whitespace().map(str::to_owned));
        self.signal("STOP");
        self
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name]).args(&self.0).status().expect("a kill command");
        assert!(sent.success() || panicking(), "the signal is sent");
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        self.signal("CONT");
    }
}
