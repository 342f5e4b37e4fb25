//! [`Transition`]: a change of state that has a name.

use crate::model::access::Access;
use crate::model::setters::setters;
use crate::model::value::{Value, is_same};

/// A change of state that has a name: `publish(Draft, Published, role("editor"))`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Transition {
    /// The name, such as `publish`.
    pub name: &'static str,
    /// The route below the resource's prefix, such as `/{id}/publish`.
    pub path: &'static str,
    /// The states that the transition leaves.
    pub from: &'static [fn() -> Value],
    /// The state that the transition leads to.
    pub to: fn() -> Value,
    /// Access rule of the transition; `None` for the rule of updates.
    pub access: Option<Access>,
}

impl Transition {
    /// A transition with the access of an update.
    pub const fn new(
        name: &'static str,
        path: &'static str,
        from: &'static [fn() -> Value],
        to: fn() -> Value,
    ) -> Self {
        Self { name, path, from, to, access: None }
    }

    setters! {
        /// Sets the access rule.
        access(Some(Access));
    }

    /// Whether the transition leaves this state.
    #[doc(hidden)]
    pub fn leaves(&self, state: &Value) -> bool {
        self.from.iter().any(|from| is_same(&from(), state))
    }

    /// Whether the transition leads to this state.
    #[doc(hidden)]
    pub fn leads_to(&self, state: &Value) -> bool {
        is_same(&(self.to)(), state)
    }
}
