//! The rule of each route of a service, and what states it.

use std::sync::Arc;

use super::names::AccessNames;
use crate::model::access::{Access, AccessRules, DEFAULT_ACCESS, Enforcement, Roles, StatedRule};
use crate::model::descriptor::{Descriptor, Operation, Transition};
use crate::model::principal::Principal;
use crate::query::record_scope::RecordScope;
use crate::store::mounted::options::ResourceOptions;

use super::table::{AccessTable, RouteAccess};
use crate::http::openapi::DocsAccess;
use crate::http::operation::route::OperationRoute;
use crate::http::operation::{links, list, table};
use crate::http::principal_source::PrincipalSource;
use crate::http::routing::mounted::MountedRoute;
use crate::http::routing::rule::{RouteRule, role as route_role};
use crate::http::service_paths::ServicePaths;

/// The access that routes give, without a principal too, where no rule is enforced.
const EVERYONE: &str = "everyone";

/// The service's own routes, and the roles that some of them need.
pub(crate) struct OwnRules<'a> {
    /// The roles, and what they imply.
    pub(crate) roles: &'a Roles,
    /// The default rules, for operations for which a resource states none.
    pub(crate) default_access: Option<&'static AccessRules>,
    pub(crate) docs_access: &'a DocsAccess,
    pub(crate) paths: &'a ServicePaths,
    /// The service's routes that are mounted like the program's.
    pub(crate) built_in: &'a [MountedRoute],
    /// The role that reads the audit log and the jobs, and whether the program states it.
    pub(crate) audit_role: (Arc<str>, bool),
    /// The role that reads the metrics on the service's address.
    pub(crate) metrics_role: Option<Arc<str>>,
    /// Number of the routers that the program merges.
    pub(crate) merged: usize,
}

/// The rule of a route, before it is known whether it is enforced.
struct Rule {
    text: String,
    stated_by: String,
    is_stated: bool,
    /// The rules, all of which a principal has to satisfy.
    needed: Vec<RouteRule>,
}

/// A principal whose access the table states; `None` is an anonymous request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking<'a>(pub(crate) Option<&'a Principal>);

impl Rule {
    fn of(access: &RouteRule, stated_by: &str, is_stated: bool) -> Self {
        let (text, stated_by) = (access.to_string(), stated_by.to_owned());
        Self { text, stated_by, is_stated, needed: vec![access.clone()] }
    }

    /// The rule that admits everyone, which nothing states.
    fn public() -> Self {
        Self::of(&Access::Public.into(), "default", false)
    }

    fn role(role: &Arc<str>, stated_by: &str, is_stated: bool) -> Self {
        Self::of(&route_role(role.clone()), stated_by, is_stated)
    }

    /// The rule of a request that needs the access of all these operations on several resources.
    fn of_several(needed: &[(&'static Descriptor, Operation)], enforcement: Enforcement) -> Self {
        let is_enforced = |resource: &Descriptor| enforcement.applies(resource.access.is_stated());
        let is_stated = needed.iter().any(|(resource, _)| is_enforced(resource) && resource.access.is_stated());
        let enforced = needed.iter().filter(|(resource, _)| !is_stated || is_enforced(resource));
        let rules = enforced.flat_map(|(resource, operation)| {
            let rules = enforcement.effective(&resource.access);
            rules.stated(*operation).map(|rule| (resource.name, rule)).collect::<Vec<_>>()
        });
        let needed = without_implied(rules, |(_, rule)| rule.access);
        let stated = needed.iter().filter_map(|(resource, rule)| match rule.name? {
            DEFAULT_ACCESS => Some(DEFAULT_ACCESS.to_owned()),
            name => Some(format!("{resource}: {name}")),
        });
        let mut stated: Vec<String> = stated.collect();
        stated.dedup();
        let stated_by = if stated.is_empty() { "default".to_owned() } else { stated.join("; ") };
        Self::of_all(needed.iter().map(|(_, rule)| rule.access), stated_by, is_stated)
    }

    /// The rule of an operation that needs all of these rules, without those that another rule implies.
    fn of_resource(resource: &Descriptor, rules: impl Iterator<Item = StatedRule>) -> Self {
        let needed = without_implied(rules, |rule| rule.access);
        let names: Vec<&str> = needed.iter().filter_map(|rule| rule.name).collect();
        let stated_by = match names.as_slice() {
            [] => "default".to_owned(),
            names if names.iter().all(|name| *name == DEFAULT_ACCESS) => DEFAULT_ACCESS.to_owned(),
            names => format!("{}: {}", resource.name, names.join(", ")),
        };
        Self::of_all(needed.iter().map(|rule| rule.access), stated_by, resource.access.is_stated())
    }

    /// The rule that requires each of these.
    fn of_all(needed: impl Iterator<Item = Access> + Clone, stated_by: String, is_stated: bool) -> Self {
        let texts: Vec<String> = needed.clone().map(|access| access.to_string()).collect();
        let text = match texts.as_slice() {
            [text] => text.clone(),
            _ => format!("all({})", texts.join(", ")),
        };
        Self { text, stated_by, is_stated, needed: needed.map(RouteRule::from).collect() }
    }
}

/// The rules without those that another rule implies.
fn without_implied<R>(rules: impl Iterator<Item = R>, access: impl Fn(&R) -> Access) -> Vec<R> {
    let mut needed: Vec<R> = Vec::new();
    for rule in rules {
        if needed.iter().any(|other| access(&rule).includes(&access(other))) {
            continue;
        }
        needed.retain(|other| !access(other).includes(&access(&rule)));
        needed.push(rule);
    }
    needed
}

/// The table of a service with these resources and routes.
pub(crate) fn table<'a>(
    resources: impl Iterator<Item = &'a ResourceOptions>,
    own_routes: &[MountedRoute],
    own: &OwnRules<'_>,
    principals: &PrincipalSource,
    asking: Option<Asking<'_>>,
) -> AccessTable {
    let enforcement = principals.enforcement();
    let names = AccessNames::default();
    let mut table = Builder { principals, enforcement, asking, routes: Vec::new(), names };
    let (mut has_log, mut is_log_closed) = (false, false);
    for options in resources {
        let (audit, access) = (options.descriptor.audit, &options.descriptor.access);
        has_log |= audit.is_some();
        is_log_closed |= audit.is_some() && !Enforcement::Stated.admits(access, Operation::History, None);
        table.add_resource(options);
        table.names.add_resource(options.descriptor);
    }
    for mounted in own_routes.iter().filter(|mounted| mounted.replaces.is_none()) {
        let options = &mounted.route.options;
        table.add_own_route(mounted);
        table.add_deleted(mounted);
        if let Some(access) = &options.access {
            table.names.add_rule(access, &format!("{} {}", options.method, mounted.path));
        }
    }
    table.add_own(own, has_log, is_log_closed);
    if let Some(default) = own.default_access {
        table.names.add_default(default);
    }
    let implied = own.roles.implications().map(|(role, implied)| (role.to_owned(), implied.join(", ")));
    AccessTable {
        routes: table.routes,
        names: table.names.finish(),
        implied: implied.collect(),
        merged: own.merged,
        is_of_principal: asking.is_some(),
    }
}

/// The fields in a body by which a request needs more access: other fields beside a transition's, states whose
/// transitions have rules of their own, and nested records.
fn bodies(
    resource: &'static Descriptor,
    route: &OperationRoute,
    access: &AccessRules,
    enforcement: Enforcement,
) -> Vec<(String, Rule)> {
    let own = |transition: &Transition| {
        let (operation, name) = (transition.name, Some(transition.name));
        Some(StatedRule { access: transition.access?, operation, name })
    };
    let with = |rule: StatedRule| {
        let rules = access.stated(route.operation).chain([rule]);
        Rule { is_stated: true, ..Rule::of_resource(resource, rules) }
    };
    if route.links.is_some() {
        return Vec::new();
    }
    if let Some((_, transition)) = route.transition {
        return own(transition).map(|rule| ("other fields".to_owned(), with(rule))).into_iter().collect();
    }
    let of_children: &[Operation] = match route.operation {
        Operation::Create => &[Operation::Create],
        Operation::Update => &[Operation::Create, Operation::Update, Operation::Delete],
        _ => &[],
    };
    let nested = resource.children.iter().filter(|children| children.nested && !of_children.is_empty());
    let nested = nested.map(|children| {
        let of_children = of_children.iter().map(|operation| ((children.resource)(), *operation));
        let needed: Vec<_> = [(resource, route.operation)].into_iter().chain(of_children).collect();
        (children.name.to_owned(), Rule::of_several(&needed, enforcement))
    });
    if !matches!(route.operation, Operation::Update | Operation::BatchUpdate) {
        return nested.collect();
    }
    let states = resource.transitions().filter_map(|(column, transition)| {
        let field = resource.columns[column].json;
        Some((format!("{field}: {}", (transition.to)()), with(own(transition)?)))
    });
    nested.chain(states).collect()
}

struct Builder<'a> {
    principals: &'a PrincipalSource,
    asking: Option<Asking<'a>>,
    enforcement: Enforcement,
    routes: Vec<RouteAccess>,
    names: AccessNames,
}

impl Builder<'_> {
    fn add(&mut self, method: &str, path: &str, rule: Rule, operation: Option<Operation>) {
        self.add_with(method, path, None, rule, operation);
    }

    fn add_with(&mut self, method: &str, path: &str, body: Option<String>, rule: Rule, operation: Option<Operation>) {
        let admits_everyone = rule.needed.iter().all(|needed| needed.admits(None));
        let is_enforced = admits_everyone || self.enforcement.applies(rule.is_stated);
        let why = if matches!(self.principals, PrincipalSource::Waived) { "without_auth" } else { "no authentication" };
        self.routes.push(RouteAccess {
            method: method.to_owned(),
            path: path.to_owned(),
            body,
            access: if is_enforced { rule.text } else { EVERYONE.to_owned() },
            stated_by: if is_enforced { rule.stated_by } else { why.to_owned() },
            is_open: admits_everyone || !is_enforced,
            operation,
            is_reached: self
                .asking
                .map(|Asking(principal)| !is_enforced || rule.needed.iter().all(|needed| needed.admits(principal))),
            records: Vec::new(),
        });
    }

    /// Adds the policies that restrict the records of a resource to its routes, which begin at this index.
    fn restrict(&mut self, resource: &'static Descriptor, from: usize) {
        let Some(Asking(principal)) = self.asking else { return };
        let (reads, changes) = RecordScope::new(resource, principal).policies(resource);
        for route in &mut self.routes[from..] {
            route.records.clone_from(&reads);
            if !route.operation.is_some_and(Operation::is_read) {
                route.records.extend_from_slice(&changes);
            }
        }
    }

    fn add_resource(&mut self, options: &ResourceOptions) {
        let (resource, from) = (options.descriptor, self.routes.len());
        let access = self.enforcement.effective(&resource.access);
        for route in table::paths_of(resource).into_iter().flat_map(|(_, routes)| routes) {
            let (whole, operation) = (format!("{}{}", options.prefix, route.path), route.operation);
            if let Some(many) = route.links {
                let needed = links::needed(many, resource, &route.method);
                let rule = Rule::of_several(&needed, self.enforcement);
                self.add(route.method.as_str(), &whole, rule, Some(operation));
                continue;
            }
            let rule = match route.transition.and_then(|(_, own)| Some((own.name, own.access?))) {
                Some((name, access)) => {
                    Rule::of(&access.into(), &format!("{}: transition {name}", resource.name), true)
                }
                None => Rule::of_resource(resource, access.stated(operation)),
            };
            let base = rule.text.clone();
            self.add(route.method.as_str(), &whole, rule, Some(operation));
            let by_parameters = (route.more_access)(resource).into_iter().map(|(parameter, other)| {
                let both = access.stated(operation).chain(access.stated(other));
                (format!("{whole}?{parameter}"), None, Rule::of_resource(resource, both))
            });
            let bodies = bodies(resource, &route, &access, self.enforcement);
            let by_bodies = bodies.into_iter().map(|(body, rule)| (whole.clone(), Some(body), rule));
            for (path, body, rule) in by_parameters.chain(by_bodies) {
                if rule.text != base && self.enforcement.applies(rule.is_stated) {
                    self.add_with(route.method.as_str(), &path, body, rule, Some(operation));
                }
            }
        }
        self.restrict(resource, from);
    }

    fn add_own_route(&mut self, mounted: &MountedRoute) {
        let rule = Rule::of(&mounted.access, &mounted.stated_by, mounted.is_stated);
        self.add(mounted.route.options.method.as_str(), &mounted.path, rule, None);
    }

    /// Adds the parameters that include deleted records in a list of the program, where they need more than the route's
    /// rule.
    fn add_deleted(&mut self, mounted: &MountedRoute) {
        let Some(resource) = mounted.described.list else { return };
        let base = mounted.access.to_string();
        let access = self.enforcement.effective(&resource.access);
        for (parameter, restore) in list::deleted(resource) {
            let restores = access.stated(restore);
            let rule = match mounted.access.access() {
                Some(own) => {
                    let own = StatedRule { access: own, operation: "the route", name: None };
                    Rule::of_resource(resource, std::iter::once(own).chain(restores))
                }
                None => {
                    // A principal that the route's own rule admits has a token already.
                    let mut more = restores.filter(|rule| !rule.access.includes(&Access::Authenticated)).peekable();
                    if more.peek().is_none() {
                        continue;
                    }
                    let more = Rule::of_resource(resource, more);
                    let text = if more.text == base { base.clone() } else { format!("all({base}, {})", more.text) };
                    let needed = more.needed.iter().cloned().chain([mounted.access.clone()]).collect();
                    Rule { text, needed, ..more }
                }
            };
            if rule.text != base && self.enforcement.applies(rule.is_stated) {
                let path = format!("{}?{parameter}", mounted.path);
                self.add_with(mounted.route.options.method.as_str(), &path, None, rule, None);
            }
        }
    }

    fn add_own(&mut self, own: &OwnRules<'_>, has_log: bool, is_log_closed: bool) {
        let (role, is_stated) = &own.audit_role;
        let (of_jobs, others): (Vec<_>, Vec<_>) =
            own.built_in.iter().partition(|mounted| mounted.path.starts_with("/_service/"));
        if has_log {
            let log = Rule::role(role, if *is_stated { "audit_role" } else { "default" }, *is_stated);
            self.add("GET", "/audit-logs", Rule { is_stated: *is_stated || is_log_closed, ..log }, None);
        }
        if has_log || !of_jobs.is_empty() {
            self.names.add_role(role, if *is_stated { "audit_role" } else { "audit_role, by default" });
        }
        for mounted in of_jobs {
            self.add_own_route(mounted);
        }
        if let Some(role) = &own.metrics_role {
            self.names.add_role(role, "metrics_role");
            self.add("GET", "/metrics", Rule::role(role, "metrics_role", true), None);
        }
        for mounted in others {
            self.add_own_route(mounted);
            self.names.add_rule(&mounted.access, &mounted.stated_by);
        }
        if let DocsAccess::Role(role) = own.docs_access {
            self.names.add_role(role, "docs_role");
        }
        let pages: &[&str] = if cfg!(feature = "docs") { &["/docs", "/docs/{asset}", "/favicon.ico"] } else { &[] };
        for path in ["/openapi.json"].iter().chain(pages) {
            match own.docs_access {
                DocsAccess::Public => self.add("GET", path, Rule::public(), None),
                DocsAccess::Role(role) => self.add("GET", path, Rule::role(role, "docs_role", true), None),
                DocsAccess::Off => {}
            }
        }
        for path in [own.paths.home, own.paths.health, own.paths.ready].into_iter().flatten() {
            self.add("GET", path, Rule::public(), None);
        }
    }
}
