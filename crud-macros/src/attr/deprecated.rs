//! Parsed `deprecated`.

use super::Spanned;
use super::entry::Entry;
use crate::ctxt::Ctxt;
use crate::key::DeprecatedKey;

#[derive(Debug, Default)]
pub(crate) struct Deprecation {
    pub(crate) since: Option<Spanned<String>>,
    pub(crate) sunset: Option<Spanned<String>>,
    pub(crate) link: Option<Spanned<String>>,
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<Deprecation> {
    let mut deprecation = Deprecation::default();
    for (key, entry) in entry.nested(cx)? {
        match key {
            DeprecatedKey::Since => deprecation.since = entry.text(cx),
            DeprecatedKey::Sunset => deprecation.sunset = entry.text(cx),
            DeprecatedKey::Link => deprecation.link = entry.text(cx),
        }
    }
    Some(deprecation)
}
