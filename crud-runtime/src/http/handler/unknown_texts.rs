//! Filters by texts that an enum does not know.

use super::request::ResourceRequest;
use crate::http::param::list::ListRequest;
use crate::model::problem::{FieldErrors, Problem};
use crate::query::{Comparison, Predicate};

/// Refuses the filters by texts that an enum does not know, unless a record of the list's scope has the text.
///
/// # Errors
/// `validation_failed`.
pub(crate) async fn check(request: &ResourceRequest, list: &ListRequest) -> Result<(), Problem> {
    let mut errors = FieldErrors::default();
    for unknown in &list.unknown {
        let (column, value) = (unknown.column, unknown.value.clone());
        let has_text = Predicate::Compare { column, operator: Comparison::Eq, value };
        let visible = request.identity.records.predicate().and(list.scope.predicate(request.resource()));
        let filter = request.resolved(visible.and(has_text)).await?;
        let found = request.adapter().count_up_to(request.resource(), &filter, 1).await;
        if found.map_err(|error| request.problem(error))? == 0 {
            errors.push(unknown.error.clone());
        }
    }
    errors.into_result(())
}
