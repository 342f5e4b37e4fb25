//! [`Findings`]: differences and other results of the ways, collected during a proof.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::difference::Difference;
use super::table::{CellPosition, Cells};

/// Limit of differences that are kept. More would say nothing new.
const MOST: usize = 200;

/// The results of a proof, while it runs.
#[derive(Debug, Default)]
pub(crate) struct Findings(Mutex<Found>);

#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) differences: Vec<Difference>,
    pub(crate) unreached: BTreeSet<String>,
    pub(crate) cells: Cells,
    pub(crate) requests: u64,
    /// By resource and way: whether any change was made, or the reason why not.
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

    /// Records that the service made a change that the rules admit.
    pub(crate) fn changed(&self, resource: &str, way: &'static str) {
        self.found().changes.insert((resource.to_owned(), way), Ok(()));
    }

    /// Records that the service refused a change for a reason other than access, although the rules admit it.
    pub(crate) fn refused(&self, resource: &str, way: &'static str, reason: String) {
        self.found().changes.entry((resource.to_owned(), way)).or_insert(Err(reason));
    }

    /// The results. Changes that were refused to every caller are listed as unreached, as they say nothing about
    /// access.
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
