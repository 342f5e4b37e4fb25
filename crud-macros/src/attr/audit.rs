//! Parsed `audit`.

use std::time::Duration;

use super::entry::Entry;
use crate::ctxt::Ctxt;
use crate::key::AuditKey;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Audit {
    pub(crate) track_changes: bool,
    pub(crate) track_user: bool,
    pub(crate) track_timestamp: bool,
    /// Time for which entries are kept.
    pub(crate) keep: Option<Duration>,
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<Audit> {
    let mut audit = Audit { track_changes: true, track_user: true, track_timestamp: true, keep: None };
    for (key, entry) in entry.nested(cx)? {
        match key {
            AuditKey::Without => {
                for word in entry.names(cx).unwrap_or_default() {
                    match super::name(&word).as_str() {
                        "changes" => audit.track_changes = false,
                        "user" => audit.track_user = false,
                        "timestamp" => audit.track_timestamp = false,
                        _ => cx.error(word.span(), format_args!("expected {}", entry.spec.form)),
                    }
                }
            }
            AuditKey::Keep => audit.keep = entry.duration(cx).map(|keep| keep.value),
        }
    }
    if let (Some(_), false) = (audit.keep, audit.track_timestamp) {
        cx.error(entry.key.span(), "entries without a time are kept: remove `keep` or `without(timestamp)`");
    }
    Some(audit)
}
