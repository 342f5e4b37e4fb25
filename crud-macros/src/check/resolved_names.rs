//! [`ResolvedNames`]: the fields that a struct's attributes name, before the fields are built.

use super::admin::{self, NamedPresentation};
use super::aggregate::{self, NamedFields};
use super::exclusives::{self, NamedExclusive};
use super::indexes::{self, Indexes};
use super::lists::{self, Lists};
use super::lookup::{Lookup, Named};
use super::members::{self, NamedMembers};
use super::roles::{self, Deletion};
use super::{relations, scopes, search, upserts};
use crate::attr::Spanned;
use crate::attr::container::StructAttributes;
use crate::attr::item::RawField;
use crate::attr::scope::ScopeAttribute;
use crate::model::{FieldPath, Role, Scope, SortKey, UniqueGroup, ZonePath};

/// The fields that a struct's attributes name.
pub(super) struct ResolvedNames {
    pub(super) deletion: Option<Deletion>,
    pub(super) roles: Vec<Role>,
    pub(super) lists: Lists,
    pub(super) paths: Vec<FieldPath>,
    pub(super) sort_paths: Vec<FieldPath>,
    pub(super) default_sort: Vec<Spanned<SortKey>>,
    pub(super) admin: NamedPresentation,
    pub(super) aggregate: NamedFields,
    pub(super) search: Vec<Named>,
    pub(super) has_tenant: bool,
    pub(super) uniques: Vec<UniqueGroup>,
    pub(super) exclusives: Vec<NamedExclusive>,
    pub(super) time_zone: Option<ZonePath>,
    pub(super) scopes: Vec<Spanned<Scope>>,
    pub(super) members: Option<NamedMembers>,
    pub(super) upserts: Vec<Vec<Named>>,
    pub(super) indexes: Indexes,
}

impl ResolvedNames {
    /// Resolves the names, in the order in which their errors are reported.
    pub(super) fn of(
        fields: &[RawField<'_>],
        key: &[usize],
        attributes: &StructAttributes,
        scopes: Vec<ScopeAttribute>,
        lookup: &Lookup<'_>,
    ) -> Self {
        let soft_delete = attributes.soft_delete.as_ref();
        let deletion = soft_delete.and_then(|attribute| roles::deletion(fields, attribute, key, lookup));
        let roles = roles::all(fields, key, deletion);
        let has_tenant = fields.iter().any(|field| field.attributes.tenant.is_some());
        Self {
            lists: lists::of(fields, key, attributes, lookup),
            paths: relations::paths(fields, attributes.filter.as_ref(), "filter", lookup),
            sort_paths: relations::paths(fields, attributes.sort.as_ref(), "sort", lookup),
            default_sort: lists::default_sort(&attributes.default_sort, lookup),
            admin: admin::named(attributes.admin.as_ref(), lookup),
            aggregate: aggregate::named(attributes.aggregate.as_ref(), lookup),
            search: search::named(attributes.search.as_ref(), lookup),
            uniques: indexes::uniques(&attributes.uniques, fields, &roles, soft_delete.is_some(), has_tenant, lookup),
            exclusives: exclusives::named(&attributes.exclusives, lookup),
            time_zone: attributes.time_zone.as_ref().and_then(|path| relations::zone(fields, path, lookup)),
            scopes: scopes::resolve(scopes, fields, &attributes.children, key, lookup),
            members: members::resolve(fields, lookup),
            upserts: upserts::named(&attributes.upserts, lookup),
            indexes: indexes::resolve(&attributes.indexes, fields, &roles, lookup),
            deletion,
            roles,
            has_tenant,
        }
    }
}
