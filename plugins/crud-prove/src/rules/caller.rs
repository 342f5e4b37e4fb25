//! [`Caller`]: a principal of a proof, with its roles and those that they imply.

use std::collections::{BTreeMap, BTreeSet};

use crud_runtime::auth::Principal;
use serde_json::Value as Json;

/// Roles that imply others, each with all implied roles.
pub(crate) type Implied = BTreeMap<String, Vec<String>>;

/// A caller of a proof: a principal, or a caller without a token.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The name in the table, such as `staff`, or `staff, a stranger`.
    pub(crate) name: String,
    /// The principal of the caller's requests; `None` without a token.
    pub(crate) principal: Option<Principal>,
    /// The position of the person whose records are the caller's own.
    pub(crate) person: usize,
    roles: BTreeSet<String>,
    permissions: BTreeSet<String>,
}

/// The roles to which an API key limits its user.
#[derive(Debug, Clone)]
pub(crate) struct Limit(pub(crate) Vec<String>);

impl Caller {
    pub(crate) fn nobody() -> Self {
        let (roles, permissions) = (BTreeSet::new(), BTreeSet::new());
        Self { name: "nobody".to_owned(), principal: None, person: 0, roles, permissions }
    }

    /// A caller with a principal, and the roles that its roles imply.
    pub(crate) fn new(name: String, principal: Principal, person: usize, implied: &Implied) -> Self {
        let roles = closure(principal.roles(), implied);
        let permissions = principal.permissions().iter().cloned().collect();
        Self { name, principal: Some(principal), person, roles, permissions }
    }

    /// Limits the caller as an API key does: it keeps only the roles in `limit`, with those that they imply, and no
    /// permissions.
    pub(crate) fn limited(mut self, limit: &Limit, implied: &Implied) -> Self {
        let admitted = closure(&limit.0, implied);
        self.roles.retain(|role| admitted.contains(role));
        self.permissions.clear();
        let key = |it: Principal| it.via("key:prove").limited_to(limit.0.clone(), [""; 0]);
        Self { principal: self.principal.map(key), ..self }
    }

    pub(crate) fn named(self, name: String) -> Self {
        Self { name, ..self }
    }

    pub(crate) const fn is_nobody(&self) -> bool {
        self.principal.is_none()
    }

    pub(crate) fn has_role(&self, role: &str) -> bool {
        self.roles.contains(role)
    }

    pub(crate) fn has_permission(&self, permission: &str) -> bool {
        self.permissions.contains(permission)
    }

    pub(crate) fn tenant(&self) -> Option<&Json> {
        self.principal.as_ref()?.tenant()
    }

    /// A claim; `sub` is the subject.
    pub(crate) fn claim(&self, name: &str) -> Option<Json> {
        let principal = self.principal.as_ref()?;
        if name == "sub" { Some(principal.subject().into()) } else { principal.claim(name).cloned() }
    }

    /// The principal as a text: `sub 3, tenant 1, roles guest`.
    pub(crate) fn described(&self) -> String {
        let Some(principal) = &self.principal else { return "no token".to_owned() };
        let mut words = vec![format!("sub {}", principal.subject())];
        words.extend(principal.tenant().map(|tenant| format!("tenant {tenant}")));
        words.extend(principal.claims().iter().map(|(name, value)| format!("{name} {value}")));
        let listed = |word: &str, all: &[String]| (!all.is_empty()).then(|| format!("{word} {}", all.join("+")));
        words.extend(listed("roles", principal.roles()));
        words.extend(listed("permissions", principal.permissions()));
        words.extend(principal.delegate().map(ToOwned::to_owned));
        words.join(", ")
    }
}

/// The roles, and all roles that they imply.
fn closure(roles: &[String], implied: &Implied) -> BTreeSet<String> {
    let more = roles.iter().filter_map(|role| implied.get(role)).flatten();
    roles.iter().chain(more).cloned().collect()
}
