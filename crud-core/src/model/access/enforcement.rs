//! [`Enforcement`]: the access rules that apply to requests.

use std::borrow::Cow;

use super::AccessRules;
use crate::model::descriptor::Operation;
use crate::model::principal::Principal;

/// Access rules that apply to a request. The program's own calls have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Enforcement {
    /// No rule: the program calls, or the service is open by `without_auth`.
    #[default]
    None,
    /// Rules of resources that state one, also for the operations that these leave out: the service has no authentication.
    Stated,
    /// Each rule, also default ones.
    All,
    /// Each rule, and those of the service for the operations that a resource leaves out.
    WithDefault(&'static AccessRules),
}

impl Enforcement {
    /// Whether a rule applies: one that the program states, or a default one.
    pub const fn applies(self, is_stated: bool) -> bool {
        match self {
            Self::None => false,
            Self::Stated => is_stated,
            Self::All | Self::WithDefault(_) => true,
        }
    }

    /// The rules of a resource that states these, with the service's for what it leaves out.
    pub fn effective(self, rules: &AccessRules) -> Cow<'_, AccessRules> {
        match self {
            Self::WithDefault(default) => Cow::Owned(rules.with_default(default)),
            Self::None | Self::Stated | Self::All => Cow::Borrowed(rules),
        }
    }

    /// Whether a principal may do an operation, as far as rules apply.
    pub fn admits(self, rules: &AccessRules, operation: Operation, principal: Option<&Principal>) -> bool {
        !self.applies(rules.is_stated()) || self.effective(rules).admit(operation, principal)
    }
}
