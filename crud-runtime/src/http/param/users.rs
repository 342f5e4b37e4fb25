//! The parameters of the list of users.

use super::{Parameter, Refused, limit_schema, number, plain_text};
use crate::auth::managed_users::UserFilter;
use crate::http::openapi::json_schema::Schema;

/// The page size without `limit`.
pub(crate) const DEFAULT_LIMIT: u64 = 20;

/// The largest page size.
const MAX_LIMIT: u64 = 100;

/// The largest number of users to skip.
const MAX_SKIP: u64 = u32::MAX as u64;

/// The largest number of characters in a name.
const MAX_NAME: usize = 255;

/// The filters and the page of a request for the users.
#[derive(Debug)]
pub(crate) struct UserQuery {
    pub(crate) filter: UserFilter,
    pub(crate) skip: u64,
    pub(crate) limit: u64,
}

impl Default for UserQuery {
    fn default() -> Self {
        Self { filter: UserFilter::default(), skip: 0, limit: DEFAULT_LIMIT }
    }
}

/// The parameters, in the order of the document.
pub(crate) const PARAMETERS: &[Parameter<UserQuery>] = &[
    Parameter {
        name: "username",
        description: "The name of the user.",
        schema: || Schema::plain_text().with("maxLength", MAX_NAME),
        read: |query, value| name(value).map(|value| query.filter.username = Some(value)),
    },
    Parameter {
        name: "q",
        description: "A part of the name, in any case.",
        schema: || Schema::plain_text().with("maxLength", MAX_NAME),
        read: |query, value| name(value).map(|value| query.filter.part = Some(value)),
    },
    Parameter {
        name: "disabled",
        description: "Whether the user is disabled.",
        schema: || Schema::boolean(),
        read: |query, value| {
            let disabled = value.parse().map_err(|_| "must be `true` or `false`")?;
            query.filter.disabled = Some(disabled);
            Ok(())
        },
    },
    Parameter {
        name: "skip",
        description: "The number of users to skip.",
        schema: || Schema::count().with("maximum", MAX_SKIP).with("default", 0),
        read: |query, value| number(value, 0, MAX_SKIP).map(|value| query.skip = value),
    },
    Parameter {
        name: "limit",
        description: "The maximum number of users to return.",
        schema: || limit_schema(MAX_LIMIT, DEFAULT_LIMIT),
        read: |query, value| number(value, 1, MAX_LIMIT).map(|value| query.limit = value),
    },
];

/// A name, or a part of one.
fn name(value: &str) -> Result<String, Refused> {
    let name = plain_text(value)?;
    if name.chars().count() > MAX_NAME {
        return Err(format!("must have at most {MAX_NAME} characters").into());
    }
    Ok(name)
}
