//! The views: what a subscriber is told of entries.

use crud_runtime::error::Problem;
use crud_runtime::prelude::*;

use crate::entry::Entry;
use crate::event::Event;

/// The views of subscribers.
#[derive(Debug, Default)]
pub(crate) struct Views;

#[allow(dead_code, reason = "the parts of the crate that read it follow")]
impl Views {
    /// The events of entries, in their order, as a principal gets them: the records that it sees with the fields that it sees,
    /// as they are now. `None` is a request without a token.
    pub(crate) async fn render(&self, principal: Option<&Principal>, entries: &[Entry]) -> Result<Vec<Event>, Problem> {
        let _ = (principal, entries);
        std::future::ready(Ok(Vec::new())).await
    }
}
