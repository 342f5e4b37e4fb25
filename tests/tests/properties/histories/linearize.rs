//! The search for an order of a history.

use std::collections::HashSet;
use std::fmt::Write;

use crate::histories::model::{Atom, State, after};
use crate::histories::plan::Shape;

/// A request that was answered.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    /// Text of the event for a report.
    pub(crate) text: String,
    /// Times at which it was sent and answered, as numbers of one sequence.
    pub(crate) sent: u64,
    pub(crate) answered: u64,
    /// Its parts, which happen in any order.
    pub(crate) atoms: Vec<Atom>,
}

/// Progress of the order of each client's events: the events that are ordered, and those parts of the next that are.
type Position = Vec<(usize, u32)>;

struct Search<'a> {
    shape: Shape,
    run: &'a str,
    clients: &'a [Vec<Event>],
    /// Places that lead nowhere.
    seen: HashSet<(Position, String)>,
    /// The furthest place, by how many parts were ordered.
    furthest: (usize, Position, State),
}

/// Finds an order of a history in which the model gives every answer.
///
/// # Errors
/// The longest order, and the answers that are right nowhere after it.
pub(crate) fn check(shape: Shape, run: &str, clients: &[Vec<Event>]) -> Result<(), String> {
    let start = vec![(0, 0); clients.len()];
    let furthest = (0, start.clone(), State::new());
    let mut search = Search { shape, run, clients, seen: HashSet::new(), furthest };
    if search.order(&start, &State::new(), 0) { Ok(()) } else { Err(search.report()) }
}

impl Search<'_> {
    fn order(&mut self, at: &Position, state: &State, ordered: usize) -> bool {
        if ordered > self.furthest.0 {
            self.furthest = (ordered, at.clone(), state.clone());
        }
        let next = |client: usize| self.clients[client].get(at[client].0);
        // The first answered of the remaining requests precedes every request that was sent after it.
        let Some(limit) = (0..at.len()).filter_map(next).map(|event| event.answered).min() else { return true };
        if !self.seen.insert((at.clone(), format!("{state:?}"))) {
            return false;
        }
        for client in 0..at.len() {
            let (index, done) = at[client];
            let Some(event) = self.clients[client].get(index).filter(|event| event.sent < limit) else { continue };
            for (part, atom) in event.atoms.iter().enumerate().filter(|(part, _)| done >> part & 1 == 0) {
                let Some(state) = after(self.shape, self.run, state, atom) else { continue };
                let mut position = at.clone();
                let done = done | 1 << part;
                position[client] =
                    if done.count_ones() as usize == event.atoms.len() { (index + 1, 0) } else { (index, done) };
                if self.order(&position, &state, ordered + 1) {
                    return true;
                }
            }
        }
        false
    }

    fn report(&self) -> String {
        let mut text = String::new();
        let (ordered, at, state) = &self.furthest;
        // Writing to a String cannot fail.
        let _ =
            writeln!(text, "no order has more than {ordered} parts; there the records are {state:?}, and next may be");
        for (client, (index, _)) in at.iter().enumerate() {
            if let Some(event) = self.clients[client].get(*index) {
                let _ = writeln!(text, "  client {client}: {}", event.text);
            }
        }
        let _ = writeln!(text, "the history:");
        let mut events: Vec<_> = self
            .clients
            .iter()
            .enumerate()
            .flat_map(|(client, events)| events.iter().map(move |e| (client, e)))
            .collect();
        events.sort_by_key(|(_, event)| event.sent);
        for (client, event) in events {
            let _ = writeln!(text, "  {:>3}..{:<3} client {client}: {}", event.sent, event.answered, event.text);
        }
        text
    }
}
