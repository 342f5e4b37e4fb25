//! [`Person`]: a subject with a tenant and claims, for whom records are generated.

use std::collections::BTreeMap;

use crud_runtime::column::{Kind, Value};
use crud_runtime::descriptor::{ClaimScope, Descriptor};
use crud_runtime::testing::Test;
use serde_json::Value as Json;

use super::served::Served;

/// The position of the person who has no records.
pub(crate) const STRANGER: usize = 3;

/// The password of people. They log in if the service has memberships, which give them roles.
pub(crate) const PASSWORD: &str = "correct horse battery staple";

/// A person of the generated records.
#[derive(Debug, Clone, Default)]
pub(crate) struct Person {
    pub(crate) subject: String,
    pub(crate) tenant: Option<Value>,
    pub(crate) claims: BTreeMap<String, Json>,
}

/// Four people: two of one tenant, one of another tenant, and a stranger of the first tenant.
pub(super) async fn people(test: &Test, served: &[Served]) -> Vec<Person> {
    let mut people = Vec::new();
    for number in 1..=4_u32 {
        let subject = subject(test, served, number).await;
        people.push(Person { subject, ..Person::default() });
    }
    people
}

/// The subject of a person: a UUID if columns with subjects are UUIDs, else the key of a new user, else the number.
async fn subject(test: &Test, served: &[Served], number: u32) -> String {
    if served.iter().flat_map(|it| subject_columns(it.descriptor)).any(|kind| kind == Kind::Uuid) {
        return uuid::Uuid::from_u128(u128::from(number)).to_string();
    }
    let name = format!("prove-{number}");
    // Hashing a password takes time. With an empty hash, no password logs the user in.
    let user = if test.model().has_memberships() {
        test.users().create_user(&name, PASSWORD).await
    } else {
        test.users().create_hashed(&name, "").await
    };
    user.map_or_else(|_| number.to_string(), |user| user.subject)
}

fn subject_columns(resource: &'static Descriptor) -> impl Iterator<Item = Kind> {
    let columns = (0..resource.columns.len()).filter(|column| has_subjects(resource, *column));
    columns.map(|column| resource.columns[column].kind)
}

/// Whether a column has subjects of principals: of owners, of members, of users, or for a scope.
pub(super) fn has_subjects(resource: &Descriptor, column: usize) -> bool {
    let members = resource.tenant.and_then(|tenant| tenant.members);
    let is_scope = |scope: &ClaimScope| scope.path.is_none() && scope.column == column && scope.claim == "sub";
    resource.owner.is_some_and(|owner| owner.column == column)
        || members.is_some_and(|members| members.user == column)
        || resource.scopes.iter().chain(resource.write_scopes).any(is_scope)
        || resource.columns[column].references.is_some_and(|it| (it.target)().table == "users")
}

/// The columns that scopes compare with claims other than the subject, each with the claim's name.
pub(super) fn claim_columns(resource: &'static Descriptor) -> impl Iterator<Item = (usize, &'static str)> {
    let scopes = resource.scopes.iter().chain(resource.write_scopes);
    scopes.filter(|scope| scope.path.is_none() && scope.claim != "sub").map(|scope| (scope.column, scope.claim))
}
