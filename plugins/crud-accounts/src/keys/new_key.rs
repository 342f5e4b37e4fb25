//! [`NewKey`]: a key to be created, within the rights of its user.

use crud_runtime::App;
use crud_runtime::auth::Principal;
use crud_runtime::error::{Code, FieldError};
use crud_runtime::prelude::*;

use super::holder;
use super::key_text::KeyText;
use super::table::{ApiKey, NewApiKey};

/// Limit of the keys of one user.
const MOST: u64 = 100;

/// A key to be created.
#[derive(Debug)]
pub(super) struct NewKey {
    pub(super) name: String,
    /// The roles, if stated. At least one of `roles` and `permissions` must be: a key never gets all rights of its user
    /// by default.
    pub(super) roles: Option<Vec<String>>,
    pub(super) permissions: Option<Vec<String>>,
    pub(super) expires_at: Option<DateTime<Utc>>,
}

impl NewKey {
    /// Creates the key of a user, and returns it with its text, which is not stored.
    ///
    /// # Errors
    /// `validation_failed` for an invalid name, rights that the user lacks or that are not stated, and a time in the
    /// past; `conflict` for a name that another key of the user has, and beyond [`MOST`] keys; any error of the
    /// database.
    pub(super) async fn make(self, app: &App, user: &Principal) -> Result<(ApiKey, String), Problem> {
        let errors = self.errors(user, app.now());
        if !errors.is_empty() {
            return Err(Problem::validation(errors));
        }
        let store = app.store::<ApiKey>();
        if store.count(ApiKey::FIELDS.user.eq(user.subject())).await? >= MOST {
            return Err(Problem::new(Code::Conflict, format!("the user has {MOST} API keys: revoke one first")));
        }
        let text = KeyText::random().map_err(|error| Problem::internal(error.to_string()))?;
        let new = NewApiKey {
            id: text.id().to_owned(),
            hash: text.hash(),
            user: user.subject().to_owned(),
            name: self.name,
            tenant: holder::tenant_of(user),
            roles: self.roles.unwrap_or_default(),
            permissions: self.permissions.unwrap_or_default(),
            expires_at: self.expires_at,
            last_used_at: None,
        };
        let key = store.create(new).await?;
        Ok((key, text.into_text()))
    }

    fn errors(&self, user: &Principal, now: DateTime<Utc>) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if !is_name(&self.name) {
            let rule = "must be 1 to 50 letters, digits, `-`, `_` and `.`, with a letter or a digit first";
            errors.push(FieldError::field("name", "pattern", rule));
        }
        if self.roles.is_none() && self.permissions.is_none() {
            let rule = "must be stated, or `permissions`: a key has the rights that are stated, and `[]` for none";
            errors.push(FieldError::field("roles", "required", rule));
        }
        if self.expires_at.is_some_and(|end| end <= now) {
            errors.push(FieldError::field("expires_at", "future", "must be in the future"));
        }
        for (field, stated, has) in [
            ("roles", &self.roles, Principal::has_role as fn(&Principal, &str) -> bool),
            ("permissions", &self.permissions, Principal::has_permission),
        ] {
            let lacking = stated.iter().flatten().filter(|name| !has(user, name));
            let lacking: Vec<String> = lacking.map(|name| format!("`{}`", name.escape_debug())).collect();
            if !lacking.is_empty() {
                let rule = format!("must be within the user's own, which lack {}", lacking.join(", "));
                errors.push(FieldError::field(field, "own", rule));
            }
        }
        errors
    }
}

/// Whether a name is 1 to 50 letters, digits, `-`, `_` and `.`, as it is written to logs.
fn is_name(name: &str) -> bool {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    begins && name.len() <= 50 && name.bytes().all(is_legal)
}
