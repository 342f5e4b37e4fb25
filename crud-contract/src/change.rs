//! [`Change`]: a difference between two contracts, in words.

use std::fmt;

/// Effect of a change on clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Effect {
    /// A request that was valid is refused, or an answer lacks what it had.
    Breaking,
    /// Clients that list all cases, or check answers against limits, may fail.
    Careful,
    /// Clients work as before.
    Compatible,
}

/// A change of the interface.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The effect on clients.
    pub effect: Effect,
    /// The route or the type with its field, such as `` GET /books `` or `` `Book.title` in answers ``.
    pub place: String,
    /// The difference, such as `` the field `title` is removed ``.
    pub words: String,
    /// The way to keep what clients use, where an attribute can.
    pub keep: Option<String>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.words)?;
        match &self.keep {
            Some(keep) => write!(f, "\n    {keep}"),
            None => Ok(()),
        }
    }
}

/// The changes between two contracts. As text, they are grouped by their effect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes(pub(crate) Vec<Change>);

impl Changes {
    /// All changes, the breaking ones first.
    pub fn iter(&self) -> impl Iterator<Item = &Change> {
        self.0.iter()
    }

    /// The changes that break clients.
    pub fn breaking(&self) -> impl Iterator<Item = &Change> {
        self.iter().filter(|change| change.effect == Effect::Breaking)
    }

    /// Whether the contracts are the same for clients.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = [
            (Effect::Breaking, "Clients break"),
            (Effect::Careful, "Some clients may break"),
            (Effect::Compatible, "Clients work as before"),
        ];
        let mut is_first = true;
        for (effect, title) in groups {
            let of_group: Vec<_> = self.iter().filter(|change| change.effect == effect).collect();
            if of_group.is_empty() {
                continue;
            }
            let gap = if std::mem::take(&mut is_first) { "" } else { "\n" };
            writeln!(f, "{gap}{title} ({}):", of_group.len())?;
            for change in of_group {
                writeln!(f, "  {change}")?;
            }
        }
        Ok(())
    }
}
