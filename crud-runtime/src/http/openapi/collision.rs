//! Collisions: names that two parts of the document share.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::definitions::take_definitions;
use super::info::Info;
use super::program::Program;
use super::{operation_id, own_route, paths};
use crate::http::description::json_schema::Schema;
use crate::http::description::name::{LIST_AUDIT_LOG, Names, SHARED};
use crate::http::description::operation_doc::Path;
use crate::http::description::security::Security;
use crate::http::routing::mounted::MountedRoute;
use crate::model::descriptor::Descriptor;
use crate::store::mounted::options::ResourceOptions;

/// The holder of a name.
#[derive(Debug, Clone, Copy)]
enum Holder<'a> {
    Service,
    Resource(&'static Descriptor),
    Route(&'a MountedRoute),
}

impl Holder<'_> {
    fn name(self) -> String {
        match self {
            Self::Service => "the service itself".to_owned(),
            Self::Resource(resource) => format!("{}::{}", resource.module, resource.name),
            Self::Route(mounted) => format!("`{} {}`", mounted.route.options.method, mounted.path),
        }
    }

    /// The option that sets another name.
    const fn remedy(self) -> Option<&'static str> {
        match self {
            Self::Service => None,
            Self::Resource(_) => Some("`#[crud(api_name = \"…\")]` on the struct"),
            Self::Route(_) => Some("`.operation_id(\"…\")` on the route"),
        }
    }
}

/// The first name that a resource, a route of the program or the service shares with another one, as a sentence. The
/// check needs no document.
pub(crate) fn first(
    info: &Info,
    resources: &[ResourceOptions],
    security: Option<&Security>,
    program: Program<'_>,
) -> Option<String> {
    let mut own = paths::of_service(info, &[], security.is_some(), program);
    let mut defined = Vec::new();
    take_definitions(&mut own, &mut defined);
    let mut schemas = Taken::new("schemas");
    let mut operations = Taken::new("operations");
    let shared = SHARED.iter().map(|name| (*name).to_owned());
    for name in shared.chain(defined.into_iter().map(|(name, _)| name)) {
        schemas.names.insert(name, Holder::Service);
    }
    let of_service = own.into_iter().flat_map(|path| path.operations).map(|(_, words)| words.id);
    for id in of_service.chain([LIST_AUDIT_LOG.to_owned()]) {
        operations.names.insert(id, Holder::Service);
    }
    let offered = resources.iter().filter(|options| options.descriptor.is_offered());
    for options in offered {
        let (names, holder) = (Names::new(options), Holder::Resource(options.descriptor));
        let own = names.schemas(options).into_iter().map(|name| (name, options.descriptor));
        let mut named = own.chain(names.conditions(options, resources));
        let collision = named.find_map(|(name, of)| schemas.take(name, Holder::Resource(of)));
        let of_operations = || {
            operation_id::of_resource(&names, options.descriptor).into_iter().find_map(|id| operations.take(id, holder))
        };
        if let Some(collision) = collision.or_else(of_operations) {
            return Some(collision);
        }
    }
    let mut routes = program.own_routes.iter().filter(|mounted| own_route::is_documented(mounted));
    routes.find_map(|mounted| {
        let names = mounted.resource.and_then(|of| resources.iter().find(|known| std::ptr::eq(known.descriptor, of)));
        let id = own_route::id_of(names.map(Names::new).as_ref(), mounted);
        operations.take(id, Holder::Route(mounted))
    })
}

/// The names of one kind that are taken.
struct Taken<'a> {
    kind: &'static str,
    names: HashMap<String, Holder<'a>>,
}

impl<'a> Taken<'a> {
    fn new(kind: &'static str) -> Self {
        Self { kind, names: HashMap::new() }
    }

    /// Takes a name, and returns the sentence of a collision.
    fn take(&mut self, name: String, holder: Holder<'a>) -> Option<String> {
        let other = match self.names.entry(name) {
            Entry::Vacant(place) => {
                place.insert(holder);
                return None;
            }
            Entry::Occupied(other) => other,
        };
        if let (Holder::Resource(one), Holder::Resource(other), "schemas") = (holder, *other.get(), self.kind)
            && std::ptr::eq(one, other)
        {
            // A resource that is mounted twice shares its schemas.
            return None;
        }
        let mut remedies: Vec<_> = [other.get().remedy(), holder.remedy()].into_iter().flatten().collect();
        remedies.dedup();
        Some(format!(
            "two {} of the document would be named `{}`, of {} and of {}: name one by {}",
            self.kind,
            other.key(),
            other.get().name(),
            holder.name(),
            remedies.join(" or "),
        ))
    }
}

/// Names that two operations or two different schemas have in a written document, each as a sentence.
pub(super) fn written(paths: &[Path], schemas: &[(String, Schema)]) -> Vec<String> {
    let mut ids = HashSet::new();
    let mut collisions = Vec::new();
    for (_, words) in paths.iter().flat_map(|path| &path.operations) {
        if !ids.insert(words.id.as_str()) {
            collisions.push(format!("two operations have the id `{}`", words.id));
        }
    }
    let mut named: HashMap<&str, &Schema> = HashMap::new();
    for (name, schema) in schemas {
        if named.insert(name, schema).is_some_and(|other| other != schema) {
            collisions.push(format!("two schemas have the name `{name}`"));
        }
    }
    collisions
}
