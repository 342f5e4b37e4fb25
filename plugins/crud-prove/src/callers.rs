//! The principals of a proof: one for each role in a rule, an owner and a stranger, members, an API key, and a caller
//! without a token.

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;
use crud_runtime::Model;
use crud_runtime::access::{Access, AccessRules, NameKind, RouteAccess};
use crud_runtime::auth::Principal;
use crud_runtime::descriptor::{Descriptor, Operation};
use crud_runtime::testing::Test;
use serde_json::json;

use crate::client::Client;
use crate::rules::{Caller, Limit, json_of};
use crate::world::{PASSWORD, STRANGER, World};

/// A caller with the client that sends its requests.
#[derive(Debug)]
pub(crate) struct Calling {
    pub(crate) caller: Caller,
    pub(crate) client: Client,
}

/// Names of roles and permissions in rules.
#[derive(Debug, Default)]
struct Names {
    roles: BTreeSet<String>,
    permissions: BTreeSet<String>,
}

/// The principals of a proof; fewer for a quick one.
pub(crate) async fn callers(test: &Test, world: &World, is_quick: bool) -> Vec<Calling> {
    let model = test.model();
    if !model.has_principals() {
        let caller = Caller::nobody();
        return vec![Calling { client: Client::of(test, &caller), caller }];
    }
    let builder = Builder { model, world, implied: implied(model) };
    let mut callers = builder.all(&names(model, world), is_quick);
    callers.sort_by_key(|caller| !caller.is_nobody());
    let mut calling: Vec<Calling> =
        callers.into_iter().map(|caller| Calling { client: Client::of(test, &caller), caller }).collect();
    calling.extend(builder.members(test).await);
    calling.extend(builder.key(test, &names(model, world)).await);
    calling
}

struct Builder<'b> {
    model: &'b Model,
    world: &'b World,
    implied: BTreeMap<String, Vec<String>>,
}

fn implied(model: &Model) -> BTreeMap<String, Vec<String>> {
    let owned = |roles: Vec<&str>| roles.into_iter().map(str::to_owned).collect();
    model.implied_roles().map(|(role, implied)| (role.to_owned(), owned(implied))).collect()
}

impl Builder<'_> {
    fn all(&self, names: &Names, is_quick: bool) -> Vec<Caller> {
        let roles: Vec<String> = names.roles.iter().cloned().collect();
        let mut sets: Vec<(String, Vec<String>, Vec<String>)> = vec![("a user".to_owned(), Vec::new(), Vec::new())];
        sets.extend(roles.iter().map(|role| (role.clone(), vec![role.clone()], Vec::new())));
        let permissions = names.permissions.iter();
        sets.extend(permissions.map(|it| (format!("the permission {it}"), Vec::new(), vec![it.clone()])));
        let (has_tenants, has_people) = (self.has_tenants(), self.has_people());
        let mut callers = vec![Caller::nobody()];
        for (name, roles, permissions) in &sets {
            let one = |name: String, person| self.caller(name, person, roles, permissions);
            callers.push(one(name.clone(), 0));
            if has_people && (!is_quick || roles.is_empty()) {
                callers.push(one(format!("{name}, a stranger"), STRANGER));
            }
            if has_tenants && !is_quick {
                callers.push(one(format!("{name}, of another tenant"), 2));
            }
        }
        let permissions: Vec<String> = names.permissions.iter().cloned().collect();
        let every = self.caller("every role".to_owned(), 0, &roles, &permissions);
        if has_tenants {
            callers.push(self.without_tenant("every role, without a tenant", &roles));
        }
        if let Some(role) = roles.first() {
            let key = every.clone().named(format!("a key of every role, for {role}"));
            callers.push(key.limited(&Limit(vec![role.clone()]), &self.implied));
        }
        callers.push(every);
        callers
    }

    fn caller(&self, name: String, person: usize, roles: &[String], permissions: &[String]) -> Caller {
        let own = &self.world.people[person];
        let principal = Principal::new(own.subject.clone()).with_roles(roles).with_permissions(permissions);
        let principal = match &own.tenant {
            Some(tenant) => principal.with_tenant(json_of(tenant)),
            None => principal,
        };
        let claims = own.claims.iter();
        let principal = claims.fold(principal, |principal, (name, value)| principal.with_claim(name, value.clone()));
        Caller::new(name, principal, person, &self.implied)
    }

    fn without_tenant(&self, name: &str, roles: &[String]) -> Caller {
        let principal = Principal::new(self.world.people[0].subject.clone()).with_roles(roles);
        Caller::new(name.to_owned(), principal, 0, &self.implied)
    }

    /// Callers for people who are members of a tenant, logged in with the roles of their memberships.
    async fn members(&self, test: &Test) -> Vec<Calling> {
        let mut calling = Vec::new();
        let resources = self.world.served.iter().map(|it| it.descriptor);
        let of_members = resources.filter_map(|it| Some((it, it.tenant?, it.tenant?.members?)));
        let Some(login) = self.model.path("/auth/login") else { return calling };
        for (descriptor, tenant, members) in of_members {
            let records = self.world.records_of(descriptor).unwrap_or_default();
            for (person, own) in self.world.people.iter().enumerate() {
                let is_own = |values: &[crud_runtime::column::Value]| {
                    values[members.user].to_string() == own.subject
                        && Some(&values[tenant.column]) == own.tenant.as_ref()
                };
                let found = records.iter().find(|it| !it.is_deleted && is_own(&it.values));
                let (Some(record), Some(of)) = (found, &own.tenant) else { continue };
                let roles: Vec<String> = members.role.iter().map(|it| record.values[*it].to_string()).collect();
                let name = format!("prove-{}", person + 1);
                let body = json!({ "username": name, "password": PASSWORD, "tenant": json_of(of) });
                let answer = test.post(&*login, body).await;
                if answer.status() != 200 {
                    continue;
                }
                let Some(token) = answer.json()["access_token"].as_str().map(str::to_owned) else { continue };
                let principal = Principal::new(own.subject.clone()).with_roles(&roles).with_tenant(json_of(of));
                let name = format!("person {}, a member as {}", person + 1, roles.join(", "));
                let caller = Caller::new(name, principal, person, &self.implied);
                calling.push(Calling { caller, client: Client::of_token(test, token) });
            }
        }
        calling
    }

    /// A caller with an API key for one role, of a user with every role. `None` if the service has no keys or has
    /// tenants, where keys need members.
    async fn key(&self, test: &Test, names: &Names) -> Option<Calling> {
        let path = self.model.path("/auth/keys").filter(|_| !self.has_tenants())?;
        let is_key = |route: &RouteAccess| route.method == "POST" && route.path == *path;
        let table = self.model.access_table();
        let role = names.roles.iter().next().filter(|_| table.routes().iter().any(is_key))?;
        let roles: Vec<String> = names.roles.iter().cloned().collect();
        test.users().set_roles("prove-1", roles.clone()).await.ok()?;
        let user = test.as_user("prove-1").await.ok()?;
        let expires = test.clock().now() + TimeDelta::days(1);
        let expires = expires.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let answer = user.post(&*path, json!({ "name": "prove", "roles": [role], "expires_at": expires })).await;
        let key = (answer.status() == 201).then(|| answer.json()["key"].as_str().map(str::to_owned))??;
        let principal = Principal::new(self.world.people[0].subject.clone()).with_roles(roles);
        let caller = Caller::new(format!("an API key for {role}"), principal, 0, &self.implied);
        let caller = caller.limited(&Limit(vec![role.clone()]), &self.implied);
        Some(Calling { caller, client: Client::of_token(test, key) })
    }

    fn has_tenants(&self) -> bool {
        self.world.served.iter().any(|it| it.descriptor.tenant.is_some())
    }

    /// Whether access to records depends on the caller, by an owner or a scope.
    fn has_people(&self) -> bool {
        let depends = |it: &Descriptor| it.owner.is_some() || !it.scopes.is_empty() || !it.write_scopes.is_empty();
        self.world.served.iter().any(|it| depends(it.descriptor))
    }
}

/// The roles and permissions in the rules of a service.
fn names(model: &Model, world: &World) -> Names {
    let mut names = Names::default();
    names.roles.insert(model.audit_role().to_owned());
    model.default_access().into_iter().for_each(|rules| names.add_rules(rules));
    for descriptor in world.served.iter().map(|it| it.descriptor) {
        names.add_rules(&descriptor.access);
        let owner = descriptor.owner.iter().flat_map(|it| [it.except, it.assign]).flatten();
        let tenant = descriptor.tenant.and_then(|it| it.except);
        let scopes = descriptor.scopes.iter().chain(descriptor.write_scopes);
        let scopes = scopes.flat_map(|it| [Some(it.access), it.except]).flatten();
        let visible = descriptor.columns.iter().filter_map(|column| column.visible);
        let transitions = descriptor.transitions().filter_map(|(_, it)| it.access);
        let rules: Vec<Access> = owner.chain(tenant).chain(scopes).chain(visible).chain(transitions).collect();
        for rule in &rules {
            names.add(rule);
        }
    }
    for name in model.access_table().names() {
        let set = if name.kind == NameKind::Role { &mut names.roles } else { &mut names.permissions };
        set.insert(name.name.clone());
    }
    names
}

impl Names {
    fn add_rules(&mut self, rules: &AccessRules) {
        for operation in Operation::ALL {
            rules.required(operation).for_each(|rule| self.add(&rule));
        }
    }

    fn add(&mut self, rule: &Access) {
        match rule {
            Access::Public | Access::Authenticated => {}
            Access::Role(name) => drop(self.roles.insert((*name).to_owned())),
            Access::Permission(name) => drop(self.permissions.insert((*name).to_owned())),
            Access::Any(rules) | Access::All(rules) => rules.iter().for_each(|rule| self.add(rule)),
        }
    }
}
