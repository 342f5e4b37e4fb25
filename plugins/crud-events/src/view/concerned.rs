//! [`Concerned`]: users whose memberships were changed by entries of the log.

use std::collections::BTreeSet;

use crud_runtime::descriptor::{Descriptor, Members};
use crud_runtime::prelude::*;
use serde_json::Value as Json;

use super::snapshot::Changed;
use crate::entry::{Entry, EntryKind};

/// The time of the last change of a membership; `None` if the log does not have it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Since(pub(crate) Option<DateTime<Utc>>);

/// The users whose visible records may have changed: their membership of a tenant was created, removed, or given
/// another role.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Concerned {
    subjects: BTreeSet<String>,
    /// Whether the log lacks the user of one of the memberships, so that any user may be concerned.
    is_everyone: bool,
    at: Since,
}

impl Concerned {
    /// The users of these changed memberships.
    pub(crate) fn of(changed: &[Changed<'_>], members: Members) -> Self {
        let mut concerned = Self::default();
        for record in changed {
            let resource = record.entries[0].resource;
            let user = resource.columns[members.user].json;
            let entries: Vec<_> = record.entries.iter().filter(|entry| decides(entry, resource, members)).collect();
            let Some(last) = entries.last() else { continue };
            let logged = record.entries.iter().flat_map(|entry| [entry.values(), entry.former()]);
            let logged = logged.flatten().filter_map(|values| values.get(user).cloned());
            let now = record.now.and_then(|now| now.value(user));
            let subjects: Vec<String> = logged.chain(now).filter_map(subject).collect();
            concerned.is_everyone |= subjects.is_empty();
            concerned.subjects.extend(subjects);
            concerned.at = Since(concerned.at.0.max(last.timestamp));
        }
        concerned
    }

    /// The time of the last change, if the user is one of these; else `None`.
    pub(crate) fn since(&self, subject: &str) -> Option<Since> {
        (self.is_everyone || self.subjects.contains(subject)).then_some(self.at)
    }

    #[cfg(test)]
    pub(crate) fn of_subject(subject: &str) -> Self {
        Self { subjects: BTreeSet::from([subject.to_owned()]), ..Self::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.subjects.is_empty() && !self.is_everyone
    }
}

/// Whether an entry of a membership may change the rights of its user.
fn decides(entry: &Entry, resource: &Descriptor, members: Members) -> bool {
    let columns = [Some(members.user), members.role, resource.tenant.map(|tenant| tenant.column)];
    let names: Vec<&str> = columns.into_iter().flatten().map(|column| resource.columns[column].json).collect();
    match entry.kind {
        EntryKind::Update => entry.changed().next().is_none() || entry.changed().any(|name| names.contains(&name)),
        _ => entry.kind.changes_values(),
    }
}

/// The subject of a user's tokens, from the membership's column; `None` for null.
fn subject(user: Json) -> Option<String> {
    match user {
        Json::Null => None,
        Json::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}
