//! [`Enforcement`]: the access rules that apply to requests.

use std::borrow::Cow;

use super::AccessRules;
use crate::model::descriptor::Operation;
use crate::model::principal::Principal;

/// Access rules that apply to a request. The program's own calls have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Enforcement {
    /// No rule: the program itself calls, or the service is open by `without_auth`.
    #[default]
    None,
    /// The rules of resources that state one, for all of their operations: the service has no authentication.
    Stated,
    /// Every rule, including default ones.
    All,
    /// Every rule, with the service's rules for the operations that a resource leaves out.
    WithDefault(&'static AccessRules),
}

impl Enforcement {
    /// Whether the rules of a resource apply; `is_stated` tells whether it states a rule itself.
    pub const fn applies(self, is_stated: bool) -> bool {
        match self {
            Self::None => false,
            Self::Stated => is_stated,
            Self::All | Self::WithDefault(_) => true,
        }
    }

    /// The rules of a resource, with the service's rules for the operations that it leaves out.
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
