//! The handlers of the program in place of generated operations, and the ways that bypass them.

use std::sync::Arc;

use super::builder::Service;
use super::own_routes::check_arguments;
use crate::http::operation::table::main_route;
use crate::http::routing::bypass::Bypass;
use crate::http::routing::handler::Handler;
use crate::http::routing::mounted::{MountedRoute, PathPlace};
use crate::http::routing::route::Route;
use crate::model::descriptor::{Descriptor, OnDelete, Operation};
use crate::model::resource::Resource;
use crate::storage::error::{Error, Result};
use crate::store::mounted::options::ResourceOptions;

/// # Replaced operations
///
/// Handlers of the program in place of generated operations.
impl Service {
    /// Puts a handler of the program in a generated operation's place: `PUT` and `PATCH` alike for an update. Access,
    /// scope, limits and errors stay those of the operation; the handler takes what a route's handler takes, and
    /// [`Next`](crate::routing::Next), which runs the generated operation.
    ///
    /// Every way to the operation calls the handler: a search that of lists, `PUT ?allow_missing=true` for a missing
    /// record that of creates, `POST ?on_conflict=…` for an existing record that of updates. Some ways bypass it, such
    /// as an export, or a batch whose own handler is not replaced. The service does not start with a bypass unless
    /// [`keep_generated`](Self::keep_generated) allows it. The program's [`Store`](crate::Store) does not call the
    /// handler; a rule that holds for every change is a hook. A handler in place of `Get` is not called for the records
    /// in answers of other operations, such as lists and creates: make a field that they must not show [hidden or
    /// visible to some](crate::Resource).
    ///
    /// ```
    /// use crud_runtime::routing::{Next, Valid, handler};
    /// use crud_runtime::axum::response::Response;
    /// # use crud_runtime::prelude::*;
    /// # use serde_json::json;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Book { id: i64, title: String, slug: String }
    /// #[derive(Schema)]
    /// struct Titled { #[crud(length(max = 100))] title: String }
    ///
    /// /// Makes the slug of the title.
    /// async fn create(book: Valid<Titled>, next: Next) -> crud_runtime::Result<Response> {
    ///     let slug = book.title.to_lowercase().replace(' ', "-");
    ///     Ok(next.run_with(json!({ "title": book.title, "slug": slug })).await?)
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?;
    /// let service = service.resource::<Book>().replace::<Book>(Operation::Create, handler(create));
    /// # Ok(()) }
    /// ```
    pub fn replace<R: Resource>(mut self, operation: Operation, handler: Handler) -> Self {
        let route = main_route(operation);
        let own = Route::new(route.method.clone(), handler);
        self.replacements.push((R::DESCRIPTOR, operation, Arc::new(own)));
        self
    }

    /// Keeps the generated operation on a way that bypasses the handler in its place ([`replace`](Self::replace)).
    /// Keeping a way that bypasses no handler is an error at start.
    ///
    /// ```
    /// use crud_runtime::routing::{Bypass, Next, handler};
    /// use crud_runtime::axum::response::Response;
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// #[crud(export)]
    /// # struct Book { id: i64, title: String }
    /// async fn list(next: Next) -> crud_runtime::Result<Response> {
    ///     Ok(next.run().await?)
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>();
    /// let service = service.replace::<Book>(Operation::List, handler(list)).keep_generated::<Book>(Bypass::Export);
    /// # Ok(()) }
    /// ```
    pub fn keep_generated<R: Resource>(mut self, bypass: Bypass) -> Self {
        self.kept.push((R::DESCRIPTOR, bypass));
        self
    }

    /// The handlers in place of generated operations.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first handler that does not fit, or that another operation bypasses.
    pub(super) fn replacements(&self) -> Result<Vec<MountedRoute>> {
        self.check_kept_bypasses()?;
        let mut all: Vec<MountedRoute> = Vec::new();
        for (resource, operation, handler) in &self.replacements {
            let refuse = |what: &str| {
                Err(Error::Setup(format!("the handler in place of {}'s {operation:?} {what}", resource.name)))
            };
            let is_wanted = |options: &&ResourceOptions| std::ptr::eq(options.descriptor, *resource);
            let Some(options) = self.resources.iter().find(is_wanted) else {
                return refuse("has no resource: the service does not have it");
            };
            if !resource.offers(*operation) {
                return refuse("replaces nothing: the resource does not offer it");
            }
            if resource.idempotency_of(*operation).is_some() {
                return refuse("would answer without the keys of `idempotency`: remove the handler or the attribute");
            }
            let replaces = |wanted: Operation| {
                let of_resource = self.replacements.iter().filter(|(other, ..)| std::ptr::eq(*other, *resource));
                of_resource.filter(|(_, operation, _)| *operation == wanted).count()
            };
            if replaces(*operation) > 1 {
                return refuse("is registered twice");
            }
            let is_kept =
                |bypass: Bypass| self.kept.iter().any(|kept| std::ptr::eq(kept.0, *resource) && kept.1 == bypass);
            let past = self.bypasses(resource, *operation).find(|(bypass, _)| !is_kept(*bypass));
            if let Some((bypass, what)) = past {
                let name = resource.name;
                return refuse(&format!(
                    "is bypassed by {what}, or say that the generated ones are meant, \
                     `keep_generated::<{name}>(Bypass::{bypass:?})`"
                ));
            }
            let replaced = main_route(*operation);
            let (path, is_item) = (format!("{}{}", options.prefix, replaced.path), replaced.is_of_record());
            let place = PathPlace { resource: Some(resource), is_item, name: replaced.path.to_owned() };
            let mounted = MountedRoute::new(place, path, handler.clone(), self.enforcement());
            let mounted = MountedRoute { replaces: Some(*operation), ..mounted };
            check_arguments(&mounted)?;
            all.push(mounted);
        }
        Ok(all)
    }

    /// The bypasses of an operation's handler, each with the operations that bypass it and how to turn them off.
    fn bypasses<'s>(
        &'s self,
        resource: &'static Descriptor,
        operation: Operation,
    ) -> impl Iterator<Item = (Bypass, String)> + 's {
        let is_replaced = |wanted: Operation| {
            self.replacements.iter().any(|(other, of, _)| std::ptr::eq(*other, resource) && *of == wanted)
        };
        let many = operation.of_many().filter(|many| resource.offers(*many) && !is_replaced(*many));
        let many = many.map(|many| (Bypass::Many, format!("{many:?}: replace that too, leave it out of the resource")));
        let imports = resource.import.is_some()
            && match operation {
                Operation::Create => true,
                Operation::Update => !resource.offered_upserts().is_empty(),
                _ => false,
            };
        let exports = operation == Operation::List && resource.export;
        let aggregates = operation == Operation::List && resource.offers(Operation::Aggregate);
        let aggregates = aggregates && !is_replaced(Operation::Aggregate);
        let logs = operation == Operation::History && resource.offers(Operation::Get);
        let moves = operation == Operation::Update && resource.transitions().next().is_some();
        let restores = resource.soft_delete.is_some_and(|soft_delete| soft_delete.auto_restore_on_update);
        let restores = operation == Operation::Restore && restores && resource.offers(Operation::Update);
        let of_resource = [
            (imports, Bypass::Import, "imports: leave `import` out of the resource"),
            (moves, Bypass::Transitions, "transitions, which have routes: leave `transitions` out of the resource"),
            (exports, Bypass::Export, "exports: leave `export` out of the resource"),
            (aggregates, Bypass::Aggregate, "aggregates: replace those too, leave `aggregate` out of the resource"),
            (logs, Bypass::Log, "`?as_of=` and `/audit-logs`, which read the same log: leave the handler out"),
            (restores, Bypass::Updates, "updates, which restore: leave `auto_restore_on_update` out of the resource"),
        ];
        let of_resource = of_resource.into_iter().filter(|(is_there, ..)| *is_there);
        let of_resource = of_resource.map(|(_, bypass, what)| (bypass, what.to_owned()));
        let removes = matches!(operation, Operation::Delete | Operation::Purge);
        let parents = resource.columns.iter().filter_map(|column| column.references);
        let parents = parents.filter(move |reference| match reference.on_delete {
            OnDelete::Cascade => removes,
            OnDelete::SetNull => operation == Operation::Update,
            OnDelete::Restrict => false,
        });
        let parents = parents.map(|reference| (reference.target)()).filter(|parent| offers_removal(parent));
        let cascades = parents.map(move |parent| {
            let (name, change) = (parent.name, if removes { "cascade" } else { "set references to null" });
            let text = format!("removals of {name}, which {change}: give the reference another `on_delete`");
            (Bypass::Cascades, text)
        });
        let shows = matches!(operation, Operation::List | Operation::Get);
        let relations = self.resources.iter().map(|options| options.descriptor);
        let relations = relations.filter(move |other| shows && shows_fields_of(other, resource)).map(|other| {
            let (other, name) = (other.name, resource.name);
            (
                Bypass::Relations,
                format!(
                    "{other}, whose requests show fields of {name}: leave them out of its `expand`, `filter`, `sort` \
                     and `has_many`"
                ),
            )
        });
        let writes = matches!(operation, Operation::Create | Operation::Update | Operation::Delete);
        let others = || self.resources.iter().map(|options| options.descriptor).filter(move |_| writes);
        let nested = others().filter(move |other| {
            other.children.iter().any(|children| children.nested && std::ptr::eq((children.resource)(), resource))
        });
        let nested = nested.map(|other| {
            let what = format!("bodies of {}, which write them: leave `nested` out of its `has_many`", other.name);
            (Bypass::Nested, what)
        });
        let linked = others().filter(move |other| {
            let mut junctions = other.many_to_many.iter().map(|many| (many.resource)());
            operation != Operation::Update && junctions.any(|junction| std::ptr::eq(junction, resource))
        });
        let linked = linked.map(|other| {
            let what = format!("links of {}, which write them: leave `many_to_many` out of it", other.name);
            (Bypass::Links, what)
        });
        many.into_iter().chain(of_resource).chain(cascades).chain(relations).chain(nested).chain(linked)
    }

    /// Refuses a kept bypass that bypasses no handler.
    fn check_kept_bypasses(&self) -> Result<()> {
        for (resource, bypass) in &self.kept {
            let replaced = self.replacements.iter().filter(|(other, ..)| std::ptr::eq(*other, *resource));
            let mut past = replaced.flat_map(|(_, operation, _)| self.bypasses(resource, *operation));
            if !past.any(|(other, _)| other == *bypass) {
                let name = resource.name;
                return Err(Error::Setup(format!(
                    "`keep_generated::<{name}>(Bypass::{bypass:?})` keeps nothing: it bypasses no handler"
                )));
            }
        }
        Ok(())
    }
}

/// Whether requests remove records of a resource for good.
fn offers_removal(resource: &Descriptor) -> bool {
    let deletes = resource.soft_delete.is_none() && resource.offers(Operation::Delete);
    deletes || resource.offers(Operation::Purge) || resource.offers(Operation::PurgeMany)
}

/// Whether requests for records of a resource show fields of another: in expanded records, in conditions and orders.
fn shows_fields_of(resource: &'static Descriptor, other: &Descriptor) -> bool {
    let is_other = |target: fn() -> &'static Descriptor| std::ptr::eq(target(), other);
    let references = resource.columns.iter().filter_map(|column| column.references);
    references.into_iter().any(|reference| reference.relation.is_some() && is_other(reference.target))
        || resource.children.iter().any(|children| is_other(children.resource))
        || resource
            .many_to_many
            .iter()
            .filter_map(|many| many.junction(resource))
            .any(|junction| std::ptr::eq(junction.resource, other) || std::ptr::eq(junction.target, other))
}
