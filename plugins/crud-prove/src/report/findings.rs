//! [`Findings`]: what the ways find while they ask.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::difference::Difference;
use super::table::{CellPosition, Cells};

/// Maximum number of differences that are kept: more say nothing new.
const MOST: usize = 200;

/// The differences that the ways find while they ask.
#[derive(Debug, Default)]
pub(crate) struct Findings(Mutex<Found>);

#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) differences: Vec<Difference>,
    pub(crate) unreached: BTreeSet<String>,
    pub(crate) cells: Cells,
    pub(crate) requests: u64,
    /// By resource and way: whether a change was made, and else a reason.
    changes: BTreeMap<(String, &'static str), Result<(), String>>,
}

impl Findings {
    fn found(&self) -> MutexGuard<'_, Found> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn request(&self) {
        self.found().requests += 1;
    }

    pub(crate) fn difference(&self, difference: Difference) {
        let mut found = self.found();
        if found.differences.len() < MOST && !found.differences.contains(&difference) {
            found.differences.push(difference);
        }
    }

    pub(crate) fn unreached(&self, line: String) {
        self.found().unreached.insert(line);
    }

    pub(crate) fn cell(&self, place: CellPosition, text: String) {
        self.found().cells.insert(place, text);
    }

    /// Notes that the service made a change that the rules admit.
    pub(crate) fn changed(&self, resource: &str, way: &'static str) {
        self.found().changes.insert((resource.to_owned(), way), Ok(()));
    }

    /// Notes that the service refused a change that the rules admit, for a reason that is not access.
    pub(crate) fn refused(&self, resource: &str, way: &'static str, reason: String) {
        self.found().changes.entry((resource.to_owned(), way)).or_insert(Err(reason));
    }

    /// Everything that was found. Changes that were refused to everyone say nothing about access.
    pub(crate) fn into_found(self) -> Found {
        let mut found = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        for ((resource, way), made) in std::mem::take(&mut found.changes) {
            if let Err(reason) = made {
                found
                    .unreached
                    .insert(format!("{way} of {resource}: no one could, although access admits it: {reason}"));
            }
        }
        found
    }
}
