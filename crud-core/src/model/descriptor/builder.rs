//! The `const` builder methods of [`Descriptor`], which the derive calls.

use std::any::Any;

use super::{
    Aggregate, Audit, Batch, Children, ClaimScope, ColumnDescriptor, Computing, Deprecation, Descriptor, FieldPath,
    Former, Idempotency, Import, ManyToMany, Operations, Owner, Ownership, Pagination, PartialIndex, RateLimit, Search,
    SoftDelete, SortKey, Statements, Tenant, UniqueGroup, View,
};
use crate::model::access::AccessRules;

macro_rules! statements {
    ($($(#[$doc:meta])* $database:ident)+) => { $(
        $(#[$doc])*
        #[must_use]
        pub const fn $database(
            mut self,
            columns: &'static str,
            get: &'static str,
            insert: &'static str,
            insert_columns: &'static [usize],
            delete: &'static str,
        ) -> Self {
            self.$database = Some(Statements::new(columns, get, insert, insert_columns, delete));
            self
        }
    )+ };
}

impl Descriptor {
    /// A resource with these columns and every option off.
    pub const fn new(
        name: &'static str,
        module: &'static str,
        prefix: &'static str,
        table: &'static str,
        columns: &'static [ColumnDescriptor],
        id: usize,
    ) -> Self {
        let (mut is_filled, mut is_computed) = (false, false);
        let mut index = 0;
        while index < columns.len() {
            // A function sets nothing in storage.
            let is_computed_there = columns[index].is_computed() && !columns[index].is_of_function();
            is_filled |= columns[index].database_default || is_computed_there;
            is_computed |= is_computed_there;
            index += 1;
        }
        Self {
            name,
            module,
            doc: "",
            prefix,
            table,
            ownership: Ownership::Program,
            has_database_collation: false,
            formers: &[],
            view: None,
            moved_from: &[],
            deprecation: None,
            tags: &[],
            columns,
            is_filled,
            is_computed,
            id,
            composite: &[],
            keyless: false,
            paths: &[],
            sort_paths: &[],
            children: &[],
            many_to_many: &[],
            default_sort: &[],
            pagination: None,
            operations: Operations::ALL,
            uniques: &[],
            upserts: &[],
            indexes: &[],
            partial_indexes: &[],
            export: false,
            aggregate: None,
            import: None,
            search: None,
            soft_delete: None,
            batch: None,
            idempotency: None,
            rate_limit: None,
            audit: None,
            access: AccessRules::UNSTATED,
            owner: None,
            tenant: None,
            scopes: &[],
            write_scopes: &[],
            hooks: None,
            computing: None,
            parts: &[],
            sqlite: None,
            postgres: None,
            mysql: None,
        }
    }

    /// Makes the key one of these columns, in this order.
    #[must_use]
    pub const fn composite(mut self, columns: &'static [usize]) -> Self {
        self.composite = columns;
        self
    }

    /// Says that records have no key.
    #[must_use]
    pub const fn keyless(mut self) -> Self {
        self.keyless = true;
        self
    }

    /// Sets the hooks.
    #[doc(hidden)]
    #[must_use]
    pub const fn hooks(mut self, hooks: &'static (dyn Any + Send + Sync)) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// Sets the computation of the fields that functions compute.
    #[doc(hidden)]
    #[must_use]
    pub const fn computing(mut self, computing: Computing) -> Self {
        self.computing = Some(computing);
        self
    }

    /// Sets the doc comment.
    #[must_use]
    pub const fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    /// Sets the names that the struct had, the latest one first.
    #[must_use]
    pub const fn formers(mut self, formers: &'static [Former]) -> Self {
        self.formers = formers;
        self
    }

    /// Makes its table another program's, which is neither created nor altered.
    #[must_use]
    pub const fn unmanaged(mut self) -> Self {
        self.ownership = Ownership::Unmanaged;
        self
    }

    /// Lets its table be created beside one of nearly the same name.
    #[must_use]
    pub const fn new_table(mut self) -> Self {
        self.ownership = Ownership::NewTable;
        self
    }

    /// Keeps the database's collation of texts.
    #[must_use]
    pub const fn database_collation(mut self) -> Self {
        self.has_database_collation = true;
        self
    }

    /// Makes it a view, which is only read.
    #[must_use]
    pub const fn view(mut self, view: View) -> Self {
        self.view = Some(view);
        self
    }

    /// Sets the prefixes that it had.
    #[must_use]
    pub const fn moved_from(mut self, prefixes: &'static [&'static str]) -> Self {
        self.moved_from = prefixes;
        self
    }

    /// Deprecates it.
    #[must_use]
    pub const fn deprecation(mut self, deprecation: Deprecation) -> Self {
        self.deprecation = Some(deprecation);
        self
    }

    /// Sets the tags.
    #[must_use]
    pub const fn tags(mut self, tags: &'static [&'static str]) -> Self {
        self.tags = tags;
        self
    }

    /// Sets the default order.
    #[must_use]
    pub const fn default_sort(mut self, keys: &'static [SortKey]) -> Self {
        self.default_sort = keys;
        self
    }

    /// Sets the fields of records that fields refer to, by which lists filter.
    #[must_use]
    pub const fn paths(mut self, paths: &'static [FieldPath]) -> Self {
        self.paths = paths;
        self
    }

    /// Sets the fields of records that fields refer to, by which lists sort.
    #[must_use]
    pub const fn sort_paths(mut self, paths: &'static [FieldPath]) -> Self {
        self.sort_paths = paths;
        self
    }

    /// Sets the records of other resources that refer to one of this.
    #[must_use]
    pub const fn children(mut self, children: &'static [Children]) -> Self {
        self.children = children;
        self
    }

    /// Sets the records of other resources that junctions link to one of this.
    #[must_use]
    pub const fn many_to_many(mut self, links: &'static [ManyToMany]) -> Self {
        self.many_to_many = links;
        self
    }

    /// Turns pagination on.
    #[must_use]
    pub const fn pagination(mut self, pagination: Pagination) -> Self {
        self.pagination = Some(pagination);
        self
    }

    /// Limits what HTTP offers.
    #[must_use]
    pub const fn operations(mut self, operations: Operations) -> Self {
        self.operations = operations;
        self
    }

    /// Sets the groups of fields that are unique together.
    #[must_use]
    pub const fn uniques(mut self, uniques: &'static [UniqueGroup]) -> Self {
        self.uniques = uniques;
        self
    }

    /// Sets the groups of fields by which creates are upserts.
    #[must_use]
    pub const fn upserts(mut self, upserts: &'static [&'static [usize]]) -> Self {
        self.upserts = upserts;
        self
    }

    /// Sets the groups of fields that are indexed together.
    #[must_use]
    pub const fn indexes(mut self, indexes: &'static [&'static [usize]]) -> Self {
        self.indexes = indexes;
        self
    }

    /// Sets the partial indexes.
    #[must_use]
    pub const fn partial_indexes(mut self, indexes: &'static [PartialIndex]) -> Self {
        self.partial_indexes = indexes;
        self
    }

    /// Turns exports on.
    #[must_use]
    pub const fn export(mut self) -> Self {
        self.export = true;
        self
    }

    /// Turns aggregates on.
    #[must_use]
    pub const fn aggregate(mut self, aggregate: Aggregate) -> Self {
        self.aggregate = Some(aggregate);
        self
    }

    /// Turns imports on, of at most this many records where all or none are to be created.
    #[must_use]
    pub const fn import(mut self, max_rows: u32) -> Self {
        self.import = Some(Import { max_rows });
        self
    }

    /// Turns full-text search on.
    #[must_use]
    pub const fn search(mut self, search: Search) -> Self {
        self.search = Some(search);
        self
    }

    /// Turns soft delete on.
    #[must_use]
    pub const fn soft_delete(mut self, soft_delete: SoftDelete) -> Self {
        self.soft_delete = Some(soft_delete);
        self
    }

    /// Turns batches on.
    #[must_use]
    pub const fn batch(mut self, batch: Batch) -> Self {
        self.batch = Some(batch);
        self
    }

    /// Turns idempotency keys on.
    #[must_use]
    pub const fn idempotency(mut self, idempotency: Idempotency) -> Self {
        self.idempotency = Some(idempotency);
        self
    }

    /// Limits the requests of one caller.
    #[must_use]
    pub const fn rate_limit(mut self, limit: RateLimit) -> Self {
        self.rate_limit = Some(limit);
        self
    }

    /// Turns the audit log on.
    #[must_use]
    pub const fn audit(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
        self
    }

    /// Sets the access rules.
    #[must_use]
    pub const fn access(mut self, access: AccessRules) -> Self {
        self.access = access;
        self
    }

    /// Gives each record an owner.
    #[must_use]
    pub const fn owner(mut self, owner: Owner) -> Self {
        self.owner = Some(owner);
        self
    }

    /// Gives each record a tenant.
    #[must_use]
    pub const fn tenant(mut self, tenant: Tenant) -> Self {
        self.tenant = Some(tenant);
        self
    }

    /// Restricts some principals to the records with their claim.
    #[must_use]
    pub const fn scopes(mut self, scopes: &'static [ClaimScope]) -> Self {
        self.scopes = scopes;
        self
    }

    /// Restricts the changes of some principals to the records with their claim.
    #[must_use]
    pub const fn write_scopes(mut self, scopes: &'static [ClaimScope]) -> Self {
        self.write_scopes = scopes;
        self
    }

    statements! {
        /// Sets the statements for SQLite, in the order of the fields of [`Statements`].
        sqlite
        /// Sets the statements for PostgreSQL, in the order of the fields of [`Statements`].
        postgres
        /// Sets the statements for MySQL and MariaDB, in the order of the fields of [`Statements`].
        mysql
    }
}
