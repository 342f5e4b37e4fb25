//! Hooks: the program's own rules about changes of a resource.
//!
//! An expansion makes a table, [`Hooks`], of the functions that the attributes name, and puts it into the resource's
//! descriptor. [`pipeline`] applies the changes of a resource with hooks.

pub(crate) mod changed;
pub(crate) mod changeset;
pub(crate) mod context;
pub(crate) mod erased_hooks;
pub(crate) mod pipeline;
mod settle;

use self::changed::ChangedData;
use self::changeset::ChangesetData;
use self::context::HookContext;
use super::app::App;
use crate::model::descriptor::Descriptor;
use crate::model::problem::Problem;
use crate::storage::future::BoxFuture;

/// Checks a record as it would be stored.
pub(crate) type ValidateHook = fn(&mut ChangesetData) -> Result<(), Problem>;

/// Runs before a change is written.
pub(crate) type BeforeHook =
    for<'a> fn(&'a mut ChangesetData, &'a mut HookContext<'_>) -> BoxFuture<'a, Result<(), Problem>>;

/// Runs when a change is written and not yet committed.
pub(crate) type AfterHook = for<'a> fn(&'a ChangedData, &'a mut HookContext<'_>) -> BoxFuture<'a, Result<(), Problem>>;

/// Runs after the commit.
pub(crate) type CommittedHook = fn(ChangedData, App) -> BoxFuture<'static, ()>;

/// The hooks of a resource; made by expansions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hooks {
    pub(crate) validate: Option<ValidateHook>,
    pub(crate) before: Option<BeforeHook>,
    pub(crate) after: Option<AfterHook>,
    pub(crate) committed: Option<CommittedHook>,
}

/// No hooks, for a change that needs the steps of one with hooks and has none.
pub(crate) static NO_HOOKS: Hooks = Hooks::new();

impl Hooks {
    /// No hooks.
    pub const fn new() -> Self {
        Self { validate: None, before: None, after: None, committed: None }
    }

    /// Adds a check of records as they would be stored.
    #[must_use]
    pub const fn validate(mut self, hook: ValidateHook) -> Self {
        self.validate = Some(hook);
        self
    }

    /// Adds a hook before each change.
    #[must_use]
    pub const fn before(mut self, hook: BeforeHook) -> Self {
        self.before = Some(hook);
        self
    }

    /// Adds a hook after each change, in its transaction.
    #[must_use]
    pub const fn after(mut self, hook: AfterHook) -> Self {
        self.after = Some(hook);
        self
    }

    /// Adds a hook after the commit of each change.
    #[must_use]
    pub const fn committed(mut self, hook: CommittedHook) -> Self {
        self.committed = Some(hook);
        self
    }

    /// The hooks of a resource, if it has any.
    pub(crate) fn of(resource: &Descriptor) -> Option<&'static Self> {
        resource.hooks.and_then(|hooks| hooks.downcast_ref())
    }

    /// Whether a removal calls one of the hooks: `validate` is for records that stay.
    pub(crate) const fn see_removals(&self) -> bool {
        self.before.is_some() || self.after.is_some() || self.committed.is_some()
    }
}
