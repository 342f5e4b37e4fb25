//! Changes of a built-in route's description in the document.

use crate::http::description::operation_doc::OperationDoc;
use crate::http::routing::route::Route;

impl Route {
    /// Changes the route's description in the document.
    pub(crate) fn reworded(mut self, change: impl Fn(OperationDoc) -> OperationDoc + Send + Sync + 'static) -> Self {
        self.options.rewording = Some(Box::new(change));
        self
    }
}

impl OperationDoc {
    /// Sets the description of each answer.
    pub(crate) fn answered_with(mut self, description: &str) -> Self {
        for (_, answer) in &mut self.answers {
            description.clone_into(&mut answer.description);
            answer.component = None;
        }
        self
    }
}
