//! [`HookContext`]: what a hook works with.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::model::value::Value;
use crate::store::app::App;
use crate::store::transaction::shared::SharedTransaction;

/// Context of a hook: the transaction of the change, its actor, and the program's own values.
///
/// ```
/// # use crud_runtime::prelude::*;
/// #[derive(Debug, Clone, Resource)]
/// #[crud(hooks(before(sign)))]
/// struct Letter { id: i64, text: String, author: Option<String> }
///
/// async fn sign(changeset: &mut Changeset<'_, Letter>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
///     if changeset.operation() == Operation::Create {
///         let author = ctx.actor().map(|actor| actor.subject().to_owned());
///         changeset.set(Letter::FIELDS.author, author);
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct HookContext<'c> {
    pub(in crate::store) app: &'c App,
    pub(in crate::store) transaction: &'c Arc<SharedTransaction>,
    /// The tenant of the record that is changed, where it has one.
    pub(in crate::store) tenant: Option<Value>,
    pub(in crate::store) index: usize,
}

impl fmt::Debug for HookContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookContext")
            .field("transaction", &self.transaction)
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

impl HookContext<'_> {
    /// The author of the change, as the audit log records it.
    pub fn actor(&self) -> Option<&Principal> {
        self.app.actor()
    }

    /// The sender of the request, or the principal [of the store](crate::Store::of) that makes the change; `None` without a
    /// token, and for changes of the program's own code.
    pub fn principal(&self) -> Option<&Principal> {
        self.app.scope().principal()
    }

    /// The current time by the service's [`Clock`](crate::Clock), which a test can set.
    pub fn now(&self) -> DateTime<Utc> {
        self.app.now()
    }

    /// The index of the change among those of its write, from 0: in a batch, among the items whose bodies are valid.
    pub fn index(&self) -> usize {
        self.index
    }

    /// A value of the program: see [`Service::extension`](crate::Service::extension).
    ///
    /// # Errors
    /// `internal` when the service has none of this type.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Result<&T, Problem> {
        self.app.extension()
    }
}
