//! Users over HTTP: their schemas and routes.

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use super::example::MOMENT;
use super::json_schema::Schema;
use super::words::{Answer, OwnParameter, Path, Place, Words};
use super::{Security, access, auth, schema};
use crate::auth::RESERVED_CLAIMS;
use crate::auth::user_bodies::{NewServiceUser, ServiceUserPatch};
use crate::http::param;
use crate::http::param::users::{DEFAULT_LIMIT, PARAMETERS};
use crate::model::problem::Code;
use crate::model::schema::Schema as _;

/// The names of the schemas: a user, a page, the body of a create, that of a change. They begin with `Service` or `New`, as
/// programs have users of their own.
const SCHEMAS: [&str; 4] = ["ServiceUser", "ServiceUserList", "NewServiceUser", "ServiceUserPatch"];

/// The paths, where a role manages users.
pub(crate) fn paths(security: &Security) -> Vec<Path> {
    let Some(role) = &security.users_role else { return Vec::new() };
    let requirement = [format!("the role `{role}`")];
    let secured = |(method, words): (Method, Words)| {
        let mut words = words.of_database();
        access::secure(&mut words, &requirement);
        (method, words)
    };
    let key = Schema::integer().with("format", "int64");
    let id = OwnParameter::new(Place::Path, "id", "The `id` of the user.", key);
    vec![
        Path {
            template: "/auth/users".to_owned(),
            parameters: Vec::new(),
            operations: [(Method::GET, list()), (Method::POST, create())].map(secured).into(),
        },
        Path {
            template: "/auth/users/{id}".to_owned(),
            parameters: vec![id],
            operations: [(Method::GET, get()), (Method::PATCH, update())].map(secured).into(),
        },
    ]
}

fn list() -> Words {
    Words::new(auth::TAG, "listServiceUsers", "List users", "The users in the service's own table, by name.")
        .parameters(param::document(&[PARAMETERS]))
        .answer(StatusCode::OK, Answer::json("The users.", Schema::reference(SCHEMAS[1])))
        .problems(&[Code::ValidationFailed])
}

fn create() -> Words {
    Words::new(auth::TAG, "createServiceUser", "Create a user", "Creates a user, who can then log in.")
        .json("The user.", Schema::reference(SCHEMAS[2]))
        .answer(StatusCode::CREATED, user_answer("The new user.").headers(&["Location"]))
        .problems(&[Code::Conflict])
}

fn get() -> Words {
    Words::new(auth::TAG, "getServiceUser", "Get a user", "")
        .answer(StatusCode::OK, user_answer("The user."))
        .problems(&[Code::NotFound, Code::ValidationFailed])
}

fn update() -> Words {
    let description = "Changes a user: absent fields keep their values. New roles, permissions and claims are in tokens \
                       from the next login or refresh on. A new password ends the user's sessions: refresh tokens issued \
                       before are refused. Neither can a disabled user log in or refresh. 409 `conflict` when no enabled \
                       user would have the role that these routes need.";
    Words::new(auth::TAG, "updateServiceUser", "Change a user", description)
        .json("The fields to change.", Schema::reference(SCHEMAS[3]))
        .answer(StatusCode::OK, user_answer("The changed user."))
        .problems(&[Code::NotFound, Code::Conflict])
}

fn user_answer(description: &str) -> Answer {
    Answer::json(description, Schema::reference(SCHEMAS[0]))
}

/// The schemas by name, where a role manages users.
pub(crate) fn schemas(security: &Security) -> Vec<(String, Schema)> {
    if security.users_role.is_none() {
        return Vec::new();
    }
    let body = |descriptor, example: Value| {
        let mut body = schema::body(descriptor);
        let names = json!({ "not": { "enum": RESERVED_CLAIMS } });
        body.change("claims", |claims| claims.with("type", json!(["object", "null"])).with("propertyNames", names));
        body.change("password", |password| password.with("format", "password"));
        body.example(example)
    };
    let new = json!({ "username": "ada", "password": "a long password", "roles": ["editor"] });
    let new = body(NewServiceUser::DESCRIPTOR, new);
    let patch = body(ServiceUserPatch::DESCRIPTOR, json!({ "roles": ["editor", "author"] }));
    let page = schema::page(SCHEMAS[0], false).example(schema::page_of_one(&example(), DEFAULT_LIMIT));
    SCHEMAS.map(str::to_owned).into_iter().zip([user(), page, new, patch]).collect()
}

fn example() -> Value {
    json!({
        "id": 1, "username": "ada", "roles": ["editor"], "permissions": [], "claims": {}, "disabled": false,
        "created_at": MOMENT, "updated_at": MOMENT,
    })
}

fn user() -> Schema {
    let texts = |description: &str| Schema::array(Schema::text()).about(description);
    let id = Schema::integer().with("format", "int64").about("The `sub` of the user's tokens, as a number.");
    Schema::object()
        .about("A user of the service. No answer has a password.")
        .member("id", id)
        .member("username", Schema::text().about("The name that the user logs in with."))
        .member("roles", texts("The user's roles."))
        .member("permissions", texts("The user's permissions."))
        .member("claims", Schema::object().about("Further claims of the user's tokens."))
        .member("disabled", Schema::boolean().about("Whether logins and refreshes fail."))
        .member("created_at", Schema::date_time().about("When the user was created."))
        .member("updated_at", Schema::date_time().about("When the user was last changed."))
        .example(example())
}
