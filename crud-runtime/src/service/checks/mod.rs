//! The checks of a service's resources before it starts.

pub(super) mod formers;
pub(super) mod hooks;
pub(super) mod links;
pub(super) mod scopes;
mod sharding;
pub(super) mod views;

use super::builder::Service;
#[cfg(feature = "auth")]
use crate::auth::Auth;
use crate::http::layer::cors::Cors;
use crate::http::service_paths::ServicePaths;
#[cfg(feature = "auth")]
use crate::model::descriptor::ColumnDescriptor;
use crate::model::descriptor::{Descriptor, Tenant};
use crate::model::validation;
use crate::storage::error::{Error, Result};
use crate::storage::migrate_error::MigrateError;
use crate::store::mounted::options::ResourceOptions;
use crate::store::mounted::resource::MountedResource;

impl Service {
    /// Checks the limits, the origins, the hooks, every resource's prefix and page limits, and that no two prefixes
    /// collide.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first violation.
    pub(super) fn check(&self) -> Result<()> {
        if self.limits.connections == Some(0) || self.limits.requests == 0 {
            return Err(Error::Setup("a service needs at least one connection and one request in flight".to_owned()));
        }
        self.server.cors.as_ref().map_or(Ok(()), Cors::check)?;
        self.server.paths.check()?;
        self.check_plugins()?;
        #[cfg(feature = "auth")]
        self.check_user_hooks()?;
        #[cfg(feature = "jobs")]
        self.jobs.check()?;
        #[cfg(feature = "migrations")]
        self.check_data_migrations()?;
        for (index, options) in self.resources.iter().enumerate() {
            check_prefix(options, &self.server.paths)?;
            check_page_limits(options)?;
            self.check_former_prefixes(options)?;
            for other in &self.resources[..index] {
                if collide(&options.prefix, &other.prefix) {
                    return Err(Error::Setup(format!(
                        "the prefixes of {} (`{}`) and {} (`{}`) collide",
                        other.descriptor.name, other.prefix, options.descriptor.name, options.prefix
                    )));
                }
            }
        }
        self.check_fields_of_plugins()?;
        let has = |layered: &Descriptor| self.resources.iter().any(|options| std::ptr::eq(options.descriptor, layered));
        if let Some((resource, _)) = self.resource_layers.iter().find(|(resource, _)| !has(resource)) {
            let name = resource.name;
            return Err(Error::Setup(format!("`layer_for::<{name}>`: the service does not have {name}")));
        }
        self.server.cursors.check()?;
        self.check_session_variables()?;
        self.check_defaults()?;
        self.check_filled()?;
        self.check_computed()?;
        self.check_ranks()?;
        self.check_tenants()?;
        self.check_sharding()?;
        self.check_memberships()?;
        self.check_roles()?;
        self.check_schemes()?;
        self.check_schemas()?;
        self.check_formers()?;
        self.described_tables()?;
        self.check_paths()?;
        self.check_children()?;
        self.check_scopes()?;
        self.check_links()?;
        self.check_searches()?;
        self.check_views()?;
        self.check_hooks()
    }

    /// Checks that no other route has a former prefix of the resource.
    fn check_former_prefixes(&self, options: &ResourceOptions) -> Result<()> {
        for (index, old) in options.descriptor.moved_from.iter().enumerate() {
            let prefixes = self.resources.iter().map(|other| other.prefix.as_str());
            let of_others = self.resources.iter().filter(|other| !std::ptr::eq(other.descriptor, options.descriptor));
            let others = of_others.flat_map(|other| other.descriptor.moved_from.iter().copied());
            let own = options.descriptor.moved_from[..index].iter().copied();
            let routes = self.own_routes.iter().map(|(path, _)| path.as_str());
            let reserved = self.server.paths.reserved().map(|(path, _)| path).find(|path| collide(old, path));
            let found = prefixes.chain(routes).find(|other| collide(old, other));
            if let Some(other) = found.or(reserved).or_else(|| others.chain(own).find(|other| collide(old, other))) {
                return Err(Error::Setup(format!(
                    "{} has moved from `{old}`, and requests there cannot be redirected: `{other}` is there",
                    options.descriptor.name
                )));
            }
        }
        Ok(())
    }

    /// Checks that storage has full-text search, if a resource needs it.
    fn check_searches(&self) -> Result<()> {
        let has_search = self.adapter.capabilities().full_text;
        match self.tables().into_iter().find(|resource| resource.search.is_some()) {
            Some(resource) if !has_search => Err(Error::Setup(format!(
                "{} has `search(…)`, and this storage has no full-text search: remove it, or use another database",
                resource.name
            ))),
            _ => Ok(()),
        }
    }

    /// Checks that a related field by which a resource's lists filter or sort is one by which the related resource's
    /// own lists do.
    fn check_paths(&self) -> Result<()> {
        for resource in self.resources.iter().map(|options| options.descriptor) {
            let paths = resource.paths.iter().map(|path| (path, "filter"));
            for (path, list) in paths.chain(resource.sort_paths.iter().map(|path| (path, "sort"))) {
                let Some(reference) = resource.columns[path.reference].references else { continue };
                let (relation, target) = (reference.relation.unwrap_or_default(), (reference.target)());
                let column = &target.columns[path.column];
                let (name, column_name, target) = (resource.name, column.name, target.name);
                if !(if list == "filter" { column.filterable } else { column.sortable }) {
                    return Err(Error::Setup(format!(
                        "{name} has `{list}({relation}::{column_name})`, and lists of {target} do not {list} by it: add \
                         `{column_name}` to the `{list}` of {target}"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Checks that the target of each `has_many` is a resource of the service, which refers back by a field that
    /// requests see.
    fn check_children(&self) -> Result<()> {
        let resources = || self.resources.iter().map(|options| options.descriptor);
        for resource in resources() {
            for children in resource.children {
                let target = (children.resource)();
                let column = &target.columns[children.column];
                // A view shows records of tables: a reference to the table is one to the view's records.
                let refers = column
                    .references
                    .is_some_and(|found| resource.view.is_some() || std::ptr::eq((found.target)(), resource))
                    && children.columns().len() == resource.key().len();
                let (name, of, field, target_name) = (children.name, resource.name, column.name, target.name);
                let wrong = if !refers {
                    let by = if resource.key().len() == 1 { "" } else { ", by(…)" };
                    format!("{target_name}.{field} needs `references({of}{by})`")
                } else if !column.is_returned() {
                    format!("{target_name}.{field} is hidden from requests")
                } else if !resources().any(|other| std::ptr::eq(other, target)) {
                    format!("the service does not have {target_name}")
                } else {
                    continue;
                };
                return Err(Error::Setup(format!("{of} has `has_many({name}({target_name}::{field}))`: {wrong}")));
            }
        }
        Ok(())
    }

    /// Checks that defaults obey the rules of their fields: otherwise, a create that leaves the field out could only
    /// fail. The derive has checked literals.
    fn check_defaults(&self) -> Result<()> {
        for options in self.resource_options() {
            let mounted = MountedResource::new(options)?;
            let resource = mounted.resource();
            for (index, column) in resource.columns.iter().enumerate() {
                let values = [("default", column.default), ("backfill", column.backfill)];
                for (key, value) in values.into_iter().filter_map(|(key, value)| Some((key, value?))) {
                    let (value, mut violations) = (value(), Vec::new());
                    if let Err(error) = validation::check_kind(column, &value) {
                        violations.push(error.message().to_owned());
                    }
                    let patterns = mounted.patterns();
                    validation::check(resource, patterns, index, &value, |violation| violations.push(violation.detail));
                    if let Some(violation) = violations.first() {
                        let (name, field) = (resource.name, column.name);
                        return Err(Error::Setup(format!(
                            "{name}.{field} has the {key} `{value}`, and by its own rules it {violation}"
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    /// A record that all tenants share cannot refer to a tenant's record: other tenants would find that missing. A
    /// tenant's record refers only to records of its own tenant.
    fn check_tenants(&self) -> Result<()> {
        for resource in self.resources.iter().map(|options| options.descriptor) {
            let Some(tenant) = resource.tenant else { continue };
            for (column, descriptor) in resource.columns.iter().enumerate() {
                let Some(reference) = descriptor.references.filter(|reference| !reference.by.is_empty()) else {
                    continue;
                };
                let target = (reference.target)();
                let is_of_tenants = |other: Tenant| reference.pairs(column).contains(&(tenant.column, other.column));
                if target.tenant.is_some_and(|other| !is_of_tenants(other)) {
                    return Err(Error::Setup(format!(
                        "{}.{} could refer to records of other tenants: make the tenant a part of the key of {target}, and \
                         name it in `by(…)`",
                        resource.name,
                        descriptor.name,
                        target = target.name
                    )));
                }
            }
        }
        for resource in self.resources.iter().map(|options| options.descriptor).filter(|it| it.tenant.is_none()) {
            for column in resource.columns {
                let target = column.references.map(|reference| (reference.target)());
                if let Some(target) = target.filter(|target| target.tenant.is_some()) {
                    return Err(Error::Setup(format!(
                        "{}.{} refers to {}, whose records have tenants: {0} needs a field with `tenant` too",
                        resource.name, column.name, target.name
                    )));
                }
            }
        }
        Ok(())
    }

    /// Checks that storage has the transactions of several calls that hooks of users need.
    #[cfg(feature = "auth")]
    fn check_user_hooks(&self) -> Result<()> {
        let has_hooks = self.auth.as_ref().is_some_and(|auth| auth.user_hooks.is_some());
        if has_hooks && !self.adapter.capabilities().interactive {
            return Err(Error::Setup(
                "`user_hooks` need transactions of several calls, and this storage has none: remove them, or use another \
                 database"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// Checks that users are in the service's own table, if a role manages them.
    #[cfg(feature = "auth")]
    fn check_users_role(&self) -> Result<()> {
        let has_users = self.auth.as_ref().is_some_and(|auth| auth.has_password_route());
        if self.access.users_role.is_none() || has_users || self.access.is_waived {
            return Ok(());
        }
        Err(Error::Setup(
            "`users_role` is for users in the service's own table: call `auth` with a key that signs, and without \
             `user_store`"
                .to_owned(),
        ))
    }

    /// Checks that users are in the service's own table, if fields refer to them.
    #[cfg(feature = "auth")]
    fn check_references_to_users(&self) -> Result<()> {
        let has_users = self.auth.as_ref().is_some_and(|auth| auth.has_password_route());
        if has_users || self.access.is_waived {
            return Ok(());
        }
        match self.reference_to_users() {
            Some(field) => Err(Error::Setup(format!(
                "{field} has `references(users)`, for users in the service's own table: call `auth` with a key that signs, and \
                 without `user_store`, or leave it out"
            ))),
            None => Ok(()),
        }
    }

    /// A field that refers to the service's own users, such as `Member.user_id`.
    #[cfg(feature = "auth")]
    pub(in crate::service) fn reference_to_users(&self) -> Option<String> {
        let refers = |column: &&ColumnDescriptor| {
            column.references.is_some_and(|reference| std::ptr::eq((reference.target)(), Auth::USERS_TABLE))
        };
        let tables = self.tables();
        tables.iter().find_map(|table| Some(format!("{}.{}", table.name, table.columns.iter().find(refers)?.name)))
    }

    /// Checks that the service has authentication, if records have owners, tenants or scopes.
    pub(super) fn check_authentication(&self) -> Result<()> {
        #[cfg(feature = "auth")]
        self.check_users_role()?;
        #[cfg(feature = "auth")]
        self.check_references_to_users()?;
        let is_restricted = |of: &Descriptor| of.restricts_records() || !of.write_scopes.is_empty();
        let restricted = self.resources.iter().find(|options| is_restricted(options.descriptor));
        match restricted {
            Some(options) if self.security().is_none() => {
                let resource = options.descriptor;
                let what = match (resource.owner, resource.tenant) {
                    (Some(_), _) => "owners",
                    (None, Some(_)) => "tenants",
                    (None, None) => "scopes",
                };
                Err(Error::Setup(format!(
                    "records of {} have {what}, so the service needs authentication: call `auth`",
                    resource.name
                )))
            }
            _ => self.check_source_of_tenants(),
        }
    }

    /// Checks that some principal can have a tenant: otherwise, each request for a record with a tenant would be
    /// refused.
    fn check_source_of_tenants(&self) -> Result<()> {
        let has_source = self.access.authentication.is_present() || self.memberships().is_some();
        #[cfg(feature = "auth")]
        let has_source = has_source || self.auth.as_ref().is_none_or(|auth| auth.can_name_tenants());
        let with_tenant = self.resources.iter().find(|options| options.descriptor.tenant.is_some());
        match with_tenant {
            Some(options) if !has_source => Err(Error::Setup(format!(
                "records of {} have tenants, and no request names one: add `AuthBuilder::tenant_claim(\"…\")`, the claim of \
                 tokens that does, or a resource of memberships with `tenant(members(user_id, role))`",
                options.descriptor.name
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses tables that do not keep the keys of their resources unique. A database that does not answer yet is asked again
    /// by the first request.
    ///
    /// # Errors
    /// [`MigrateError::Mismatch`] with a line for each table.
    pub(super) async fn check_keys(&self) -> Result<()> {
        if self.is_compared() {
            return Ok(());
        }
        match self.administration.ambiguous_keys(&self.described_tables()?).await {
            Ok(ambiguous) if ambiguous.is_empty() => Ok(()),
            Ok(ambiguous) => {
                let lines = ambiguous.iter().map(ToString::to_string).collect();
                Err(Error::Migrate(MigrateError::Mismatch(lines)))
            }
            Err(error) => {
                tracing::warn!(%error, "whether keys are unique is not known yet: the first request finds out");
                Ok(())
            }
        }
    }
}

fn check_prefix(options: &ResourceOptions, paths: &ServicePaths) -> Result<()> {
    let (prefix, name) = (&options.prefix, options.descriptor.name);
    let is_legal = |segment: &str| {
        !segment.is_empty()
            && ![".", ".."].contains(&segment)
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
    };
    if !prefix.strip_prefix('/').is_some_and(|path| path.split('/').all(is_legal)) {
        return Err(Error::Setup(format!(
            "the prefix of {name}, `{prefix}`, must be like `/products` or `/v1/products`: letters, digits, `-`, `.`, `_`, `~`"
        )));
    }
    match paths.reserved().map(|(path, _)| path).find(|route| collide(prefix, route)) {
        Some(route) => Err(Error::Setup(format!(
            "the prefix of {name}, `{prefix}`, collides with the route `{route}`: choose another one"
        ))),
        None => Ok(()),
    }
}

fn check_page_limits(options: &ResourceOptions) -> Result<()> {
    match options.pagination {
        Some(pages) if pages.default_limit == 0 || pages.default_limit > pages.max_limit => Err(Error::Setup(format!(
            "{}: the default limit must be between 1 and the maximum, but they are {} and {}",
            options.descriptor.name, pages.default_limit, pages.max_limit
        ))),
        _ => Ok(()),
    }
}

/// Whether two paths are equal, or one lies below the other, where a key would stand.
fn collide(one: &str, other: &str) -> bool {
    let is_at_or_below = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    is_at_or_below(one, other) || is_at_or_below(other, one)
}
