//! [`Visible`]: the resources that a caller may use by tools.

use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::{Code, FieldError};
use crud_runtime::prelude::*;
use crud_runtime::routing::Context;
use crud_runtime::{Model, ServedResource};

use crate::endpoint::Endpoint;

/// Similarity from which a known name is proposed for an unknown one.
const SIMILAR: f64 = 0.75;

/// The resources that the caller of a tool may use.
#[derive(Clone, Copy)]
pub(crate) struct Visible<'c> {
    endpoint: &'c Endpoint,
    model: &'c Model,
    pub(crate) caller: Option<&'c Principal>,
}

impl<'c> Visible<'c> {
    pub(crate) fn new(endpoint: &'c Endpoint, ctx: &'c Context) -> Self {
        Self { endpoint, model: ctx.model(), caller: ctx.principal() }
    }

    /// The resources with at least one tool that the caller may use.
    pub(crate) fn resources(self) -> impl Iterator<Item = ServedResource<'c>> {
        self.model.resources().filter(move |resource| self.is_usable(*resource))
    }

    fn is_hidden(self, resource: ServedResource<'_>) -> bool {
        self.endpoint.hidden.iter().any(|path| path == resource.prefix())
    }

    /// Whether the program hides every path of a resource.
    pub(crate) fn hides(self, descriptor: &Descriptor) -> bool {
        let mut served = self.model.resources().filter(|it| std::ptr::eq(it.descriptor(), descriptor)).peekable();
        served.peek().is_some() && served.all(|it| self.is_hidden(it))
    }

    fn is_usable(self, resource: ServedResource<'_>) -> bool {
        !self.is_hidden(resource) && (!self.operations(resource).is_empty() || !self.actions(resource).is_empty())
    }

    /// Whether the caller may use the tool of an operation on the resource.
    pub(crate) fn admits(self, resource: ServedResource<'_>, operation: Operation) -> bool {
        (operation.is_read() || self.endpoint.writes) && resource.admits(operation, self.caller)
    }

    /// Names of the operations that the caller may use.
    pub(crate) fn operations(self, resource: ServedResource<'_>) -> Vec<&'static str> {
        use Operation::{Create, Get, List, Update};
        let named = [(List, "list"), (Get, "get"), (Create, "create"), (Update, "update")];
        named.into_iter().filter(|(it, _)| self.admits(resource, *it)).map(|(_, name)| name).collect()
    }

    /// Names of the actions that the caller may use: transitions, soft deletes and restores.
    pub(crate) fn actions(self, resource: ServedResource<'_>) -> Vec<&'static str> {
        let descriptor = resource.descriptor();
        let is_soft = descriptor.soft_delete.is_some();
        let undone = [(Operation::Delete, DELETE), (Operation::Restore, RESTORE)];
        let undone = undone.into_iter().filter(|(it, _)| is_soft && self.admits(resource, *it));
        let transitions = descriptor.transitions().map(|(_, transition)| transition.name);
        let admitted = transitions.filter(|name| self.endpoint.writes && resource.admits_transition(name, self.caller));
        admitted.chain(undone.map(|(_, name)| name)).collect()
    }

    /// Finds a resource by its name in the answer of `resources`, or by the name of its struct.
    ///
    /// # Errors
    /// `not_found` with the nearest name, also for a resource that the caller may not use.
    pub(crate) fn find(self, name: &str) -> Result<ServedResource<'c>, Problem> {
        let wanted = name.trim_matches('/');
        let is_named = |it: &ServedResource<'_>| self::name(*it) == wanted || it.descriptor().name == wanted;
        self.resources().find(is_named).ok_or_else(|| self.unknown(wanted))
    }

    fn unknown(self, wanted: &str) -> Problem {
        let similar = self.resources().map(|it| (strsim::jaro_winkler(name(it), wanted), name(it)));
        let nearest = similar.filter(|(similarity, _)| *similarity >= SIMILAR).max_by(|a, b| a.0.total_cmp(&b.0));
        let hint = nearest.map_or_else(
            || "`resources` lists those that there are".to_owned(),
            |(_, nearest)| format!("the nearest is `{nearest}`"),
        );
        Problem::new(Code::NotFound, format!("there is no resource `{}`: {hint}", crate::budget::shortened(wanted, 80)))
    }
}

/// The action that marks a record as deleted.
pub(crate) const DELETE: &str = "delete";
/// The action that undoes `DELETE`.
pub(crate) const RESTORE: &str = "restore";

/// Name of a resource for agents: its path without the first slash.
pub(crate) fn name(resource: ServedResource<'_>) -> &str {
    resource.prefix().trim_start_matches('/')
}

/// The problem of a wrong argument.
pub(crate) fn refused(argument: &str, code: &'static str, detail: impl Into<String>) -> Problem {
    Problem::validation([FieldError::parameter(argument, code, detail)])
}
