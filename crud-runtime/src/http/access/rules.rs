//! The rule of each route of a service, and what states it.

use std::sync::Arc;

use super::names::AccessNames;
use crate::model::access::{Access, Enforcement, StatedRule};
use crate::model::descriptor::{Descriptor, Operation, Transition};
use crate::store::resource_options::ResourceOptions;

use super::table::{AccessTable, RouteAccess};
use crate::http::action::MountedAction;
use crate::http::openapi::DocsAccess;
use crate::http::operation::{self, route::Route};
use crate::http::principal_source::PrincipalSource;

/// The access of a request without a principal that every route gives, where no rule is enforced.
const EVERYONE: &str = "everyone";

/// The service's own routes, and the roles of those that have one.
pub(crate) struct OwnRules<'a> {
    pub(crate) docs_access: &'a DocsAccess,
    pub(crate) has_jobs: bool,
    /// The role that reads the log and the jobs, and whether the program states it.
    pub(crate) audit_role: (Arc<str>, bool),
    /// The role that reads the metrics on the service's address.
    pub(crate) metrics_role: Option<Arc<str>>,
    /// Number of the routers that the program merges.
    pub(crate) merged: usize,
    /// The routes of authentication, where the service has it.
    pub(crate) auth: Option<AuthRules>,
}

/// The routes of authentication that a service has.
pub(crate) struct AuthRules {
    pub(crate) login: bool,
    pub(crate) logout: bool,
    pub(crate) password: bool,
    /// The role that manages users.
    pub(crate) users_role: Option<Arc<str>>,
}

/// The rule of a route, before it is known whether it is enforced.
struct Rule {
    text: String,
    stated_by: String,
    admits_everyone: bool,
    is_stated: bool,
}

impl Rule {
    /// A rule that nothing states.
    fn default(access: Access) -> Self {
        Self::of(access, "default".to_owned(), false)
    }

    fn of(access: Access, stated_by: String, is_stated: bool) -> Self {
        Self { text: access.to_string(), stated_by, admits_everyone: access.admits(None), is_stated }
    }

    fn role(role: &str, stated_by: &str, is_stated: bool) -> Self {
        Self { text: format!("role({role:?})"), stated_by: stated_by.to_owned(), admits_everyone: false, is_stated }
    }

    /// The rule of an operation that needs all of these: those that another one implies are left out.
    fn of_resource(resource: &Descriptor, rules: impl Iterator<Item = StatedRule>) -> Self {
        let mut needed: Vec<StatedRule> = Vec::new();
        for rule in rules {
            if needed.iter().any(|other| rule.access.includes(&other.access)) {
                continue;
            }
            needed.retain(|other| !other.access.includes(&rule.access));
            needed.push(rule);
        }
        let text = match needed.as_slice() {
            [rule] => rule.access.to_string(),
            several => format!("all({})", join(several.iter().map(|rule| rule.access.to_string()))),
        };
        let names: Vec<&str> = needed.iter().filter_map(|rule| rule.name).collect();
        let stated_by =
            if names.is_empty() { "default".to_owned() } else { format!("{}: {}", resource.name, names.join(", ")) };
        let admits_everyone = needed.iter().all(|rule| rule.access.admits(None));
        Self { text, stated_by, admits_everyone, is_stated: resource.access.is_stated() }
    }
}

fn join(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

/// The table of a service with these resources and routes.
pub(crate) fn table<'a>(
    resources: impl Iterator<Item = &'a ResourceOptions>,
    actions: &[MountedAction],
    own: &OwnRules<'_>,
    principals: &PrincipalSource,
) -> AccessTable {
    let mut table = Builder { principals, routes: Vec::new(), names: AccessNames::default() };
    let (mut has_log, mut is_log_closed) = (false, false);
    for options in resources {
        let (audit, access) = (options.descriptor.audit, &options.descriptor.access);
        has_log |= audit.is_some();
        is_log_closed |= audit.is_some() && !Enforcement::Stated.admits(access, Operation::History, None);
        table.add_resource(options);
        table.names.add_resource(options.descriptor);
    }
    for action in actions.iter().filter(|action| action.replaces.is_none()) {
        let rule = match action.action.access {
            Some(access) => Rule::of(access, "the route".to_owned(), true),
            None => match action.resource.filter(|resource| resource.access.is_stated()) {
                Some(resource) => Rule::of(action.access, format!("what it resembles in `{}`", resource.name), true),
                None => Rule::default(action.access),
            },
        };
        let base = rule.text.clone();
        table.add(action.action.method.as_str(), &action.path, rule, None);
        table.add_deleted(action, &base);
        table.names.add_action(action);
    }
    table.add_own(own, has_log, is_log_closed);
    AccessTable::new(table.routes, table.names.finish(), own.merged)
}

/// The fields in a body by which a request needs more: others beside a transition, and the states that transitions with rules
/// of their own set.
fn bodies(resource: &'static Descriptor, route: &Route) -> Vec<(String, Rule)> {
    let own = |transition: &Transition| {
        let (operation, name) = (transition.name, Some(transition.name));
        Some(StatedRule { access: transition.access?, operation, name })
    };
    let with = |rule: StatedRule| {
        let rules = resource.access.stated(route.operation).chain([rule]);
        Rule { is_stated: true, ..Rule::of_resource(resource, rules) }
    };
    if let Some((_, transition)) = route.transition {
        return own(transition).map(|rule| ("other fields".to_owned(), with(rule))).into_iter().collect();
    }
    if !matches!(route.operation, Operation::Update | Operation::BatchUpdate) {
        return Vec::new();
    }
    let states = resource.transitions().filter_map(|(column, transition)| {
        let field = resource.columns[column].json;
        Some((format!("{field}: {}", (transition.to)()), with(own(transition)?)))
    });
    states.collect()
}

struct Builder<'a> {
    principals: &'a PrincipalSource,
    routes: Vec<RouteAccess>,
    names: AccessNames,
}

impl Builder<'_> {
    fn add(&mut self, method: &str, path: &str, rule: Rule, operation: Option<Operation>) {
        self.add_with(method, path, None, rule, operation);
    }

    fn add_with(&mut self, method: &str, path: &str, body: Option<String>, rule: Rule, operation: Option<Operation>) {
        let is_enforced = rule.admits_everyone || self.principals.enforcement().applies(rule.is_stated);
        let why = if matches!(self.principals, PrincipalSource::Waived) { "without_auth" } else { "no authentication" };
        self.routes.push(RouteAccess {
            method: method.to_owned(),
            path: path.to_owned(),
            body,
            access: if is_enforced { rule.text } else { EVERYONE.to_owned() },
            stated_by: if is_enforced { rule.stated_by } else { why.to_owned() },
            is_open: rule.admits_everyone || !is_enforced,
            operation,
        });
    }

    fn add_resource(&mut self, options: &ResourceOptions) {
        let resource = options.descriptor;
        for route in operation::paths_of(resource).into_iter().flat_map(|(_, routes)| routes) {
            let (whole, operation) = (format!("{}{}", options.prefix, route.path), route.operation);
            let rule = match route.transition.and_then(|(_, own)| Some((own.name, own.access?))) {
                Some((name, access)) => Rule::of(access, format!("{}: transition {name}", resource.name), true),
                None => Rule::of_resource(resource, resource.access.stated(operation)),
            };
            let base = rule.text.clone();
            self.add(route.method.as_str(), &whole, rule, Some(operation));
            let by_parameters = (route.more_access)(resource).into_iter().map(|(parameter, other)| {
                let both = resource.access.stated(operation).chain(resource.access.stated(other));
                (format!("{whole}?{parameter}"), None, Rule::of_resource(resource, both))
            });
            let by_bodies = bodies(resource, &route).into_iter().map(|(body, rule)| (whole.clone(), Some(body), rule));
            for (path, body, rule) in by_parameters.chain(by_bodies) {
                if rule.text != base && self.principals.enforcement().applies(rule.is_stated) {
                    self.add_with(route.method.as_str(), &path, body, rule, Some(operation));
                }
            }
        }
    }

    /// Adds the parameters by which a list of the program has deleted records, where they need more than the route's rule.
    fn add_deleted(&mut self, action: &MountedAction, base: &str) {
        let Some(resource) = action.action.handler.0.describe().list else { return };
        for (parameter, restore) in operation::list::deleted(resource) {
            let own = StatedRule { access: action.access, operation: "the route", name: None };
            let rule = Rule::of_resource(resource, std::iter::once(own).chain(resource.access.stated(restore)));
            if rule.text != base && self.principals.enforcement().applies(rule.is_stated) {
                let path = format!("{}?{parameter}", action.path);
                self.add_with(action.action.method.as_str(), &path, None, rule, None);
            }
        }
    }

    fn add_own(&mut self, own: &OwnRules<'_>, has_log: bool, is_log_closed: bool) {
        let public = || Rule::of(Access::Public, "default".to_owned(), false);
        let token = || Rule::default(Access::Authenticated);
        let (role, is_stated) = &own.audit_role;
        let log = || Rule::role(role, if *is_stated { "audit_role" } else { "default" }, *is_stated);
        if has_log {
            self.add("GET", "/audit-logs", Rule { is_stated: *is_stated || is_log_closed, ..log() }, None);
        }
        if has_log || own.has_jobs {
            self.names.add_role(role, if *is_stated { "audit_role" } else { "audit_role, by default" });
        }
        if own.has_jobs {
            self.add("GET", "/_service/jobs", log(), None);
        }
        if let Some(role) = &own.metrics_role {
            self.names.add_role(role, "metrics_role");
            self.add("GET", "/metrics", Rule::role(role, "metrics_role", true), None);
        }
        if let Some(auth) = &own.auth {
            let routes = [
                ("POST", "/auth/login", public(), auth.login),
                ("POST", "/auth/refresh", public(), auth.login),
                ("POST", "/auth/logout", token(), auth.logout),
                ("POST", "/auth/password", token(), auth.password),
                ("GET", "/profile", token(), true),
            ];
            for (method, path, rule, _) in routes.into_iter().filter(|(.., exists)| *exists) {
                self.add(method, path, rule, None);
            }
            if let Some(role) = &auth.users_role {
                self.names.add_role(role, "users_role");
                for (method, path) in [
                    ("GET", "/auth/users"),
                    ("POST", "/auth/users"),
                    ("GET", "/auth/users/{id}"),
                    ("PATCH", "/auth/users/{id}"),
                ] {
                    self.add(method, path, Rule::role(role, "users_role", true), None);
                }
            }
        }
        if let DocsAccess::Role(role) = own.docs_access {
            self.names.add_role(role, "docs_role");
        }
        let pages: &[&str] = if cfg!(feature = "docs") { &["/docs", "/docs/{asset}", "/favicon.ico"] } else { &[] };
        for path in ["/openapi.json"].iter().chain(pages) {
            match own.docs_access {
                DocsAccess::Public => self.add("GET", path, public(), None),
                DocsAccess::Role(role) => self.add("GET", path, Rule::role(role, "docs_role", true), None),
                DocsAccess::Off => {}
            }
        }
        for path in ["/", "/health", "/ready"] {
            self.add("GET", path, public(), None);
        }
    }
}
