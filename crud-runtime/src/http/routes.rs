//! [`ResourcePath`]: the paths of a resource and their methods.

use axum::http::Method;

use crate::model::descriptor::{Descriptor, Operation};

/// A path of a resource: the operations that share it, by method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResourcePath {
    /// `{prefix}`
    Collection,
    /// `{prefix}/{id}`
    Record,
    /// `{prefix}/search`, the list by a body
    Search,
    /// `{prefix}/export`, the list as a file
    Export,
    /// `{prefix}/import`, records from a file
    Import,
    /// `{prefix}/batch`
    Batch,
    /// `{prefix}/batch/delete`, for clients that cannot send a body with DELETE
    BatchDelete,
    /// `{prefix}/restore`
    RestoreMany,
    /// `{prefix}/deleted`
    Deleted,
    /// `{prefix}/{id}/restore`
    Restore,
    /// `{prefix}/{id}/permanent`
    Permanent,
    /// `{prefix}/{id}/history`
    History,
    /// `{prefix}/{id}/publish`, and so on for each transition of the resource
    Transition(TransitionPath),
}

/// The path of a transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TransitionPath {
    /// Its position among the resource's.
    pub(crate) index: usize,
    /// What follows the resource's prefix.
    path: &'static str,
}

impl ResourcePath {
    /// Every path that is the same for all resources. An operation's main path is the first that has it.
    pub(crate) const ALL: [Self; 12] = [
        Self::Collection,
        Self::Record,
        Self::Search,
        Self::Export,
        Self::Import,
        Self::Batch,
        Self::BatchDelete,
        Self::RestoreMany,
        Self::Deleted,
        Self::Restore,
        Self::Permanent,
        Self::History,
    ];

    /// What follows the resource's prefix.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Collection => "",
            Self::Record => "/{id}",
            Self::Search => "/search",
            Self::Export => "/export",
            Self::Import => "/import",
            Self::Batch => "/batch",
            Self::BatchDelete => "/batch/delete",
            Self::RestoreMany => "/restore",
            Self::Deleted => "/deleted",
            Self::Restore => "/{id}/restore",
            Self::Permanent => "/{id}/permanent",
            Self::History => "/{id}/history",
            Self::Transition(transition) => transition.path,
        }
    }

    /// The paths of a resource. The collection and the record are among them, to answer 405 with `Allow`, unless HTTP
    /// offers no operation at all.
    pub(crate) fn paths_of(resource: &Descriptor) -> impl Iterator<Item = Self> {
        let transitions = resource.transitions().enumerate();
        let transitions = transitions
            .map(|(index, (_, transition))| Self::Transition(TransitionPath { index, path: transition.path }));
        Self::ALL.into_iter().chain(transitions).filter(|path| {
            matches!(path, Self::Collection | Self::Record) && resource.is_offered()
                || (*path != Self::Search || resource.has_filters() || resource.search.is_some())
                    && (*path != Self::Export || resource.export)
                    && (*path != Self::Import || resource.import.is_some())
                    && path.methods().iter().any(|(_, operation)| resource.offers(*operation))
        })
    }

    /// The path's operations by method. `HEAD` is handled as `GET`.
    pub(crate) const fn methods(self) -> &'static [(Method, Operation)] {
        match self {
            Self::Collection => &[(Method::GET, Operation::List), (Method::POST, Operation::Create)],
            Self::Record => &[
                (Method::GET, Operation::Get),
                (Method::PUT, Operation::Update),
                (Method::PATCH, Operation::Update),
                (Method::DELETE, Operation::Delete),
            ],
            Self::Search => &[(Method::POST, Operation::List)],
            Self::Export => &[(Method::GET, Operation::List)],
            Self::Import => &[(Method::POST, Operation::Create)],
            Self::Batch => &[
                (Method::POST, Operation::BatchCreate),
                (Method::PUT, Operation::BatchUpdate),
                (Method::DELETE, Operation::BatchDelete),
            ],
            Self::BatchDelete => &[(Method::POST, Operation::BatchDelete)],
            Self::RestoreMany => &[(Method::POST, Operation::RestoreMany)],
            Self::Deleted => &[(Method::DELETE, Operation::PurgeMany)],
            Self::Restore => &[(Method::POST, Operation::Restore)],
            Self::Permanent => &[(Method::DELETE, Operation::Purge)],
            Self::History => &[(Method::GET, Operation::History)],
            // Whether it is offered is that of updates.
            Self::Transition(_) => &[(Method::POST, Operation::Update)],
        }
    }

    /// The main path of an operation.
    pub(crate) fn for_operation(operation: Operation) -> Self {
        let has = |path: &Self| path.methods().iter().any(|(_, other)| *other == operation);
        Self::ALL.into_iter().find(has).unwrap_or(Self::Collection)
    }
}
