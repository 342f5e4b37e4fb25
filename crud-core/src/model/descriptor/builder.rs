//! The `const` builder methods of [`Descriptor`], which the derive calls.

use std::any::Any;

use super::{
    Aggregate, Audit, Batch, Children, ClaimScope, ColumnDescriptor, Computing, Deprecation, Descriptor, Exclusive,
    FieldPath, Former, Idempotency, Import, ManyToMany, Operations, Owner, Ownership, Pagination, PartialIndex,
    Presentation, RateLimit, Search, SoftDelete, SortKey, Statements, Tenant, UniqueGroup, View, ZonePath,
};
use crate::model::access::AccessRules;
use crate::model::setters::setters;

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
        let (mut is_filled, mut is_computed, mut converts) = (false, false, false);
        let mut index = 0;
        while index < columns.len() {
            // A field that a function computes is not in storage.
            let is_computed_there = columns[index].is_computed() && !columns[index].is_of_function();
            is_filled |= columns[index].database_default || is_computed_there;
            is_computed |= is_computed_there;
            converts |= columns[index].returned.is_some();
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
            api_name: None,
            presentation: Presentation::new(),
            columns,
            is_filled,
            is_computed,
            converts,
            id,
            composite: &[],
            keyless: false,
            paths: &[],
            sort_paths: &[],
            children: &[],
            many_to_many: &[],
            time_zone: None,
            default_sort: &[],
            pagination: None,
            operations: Operations::ALL,
            uniques: &[],
            exclusives: &[],
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

    setters! {
        /// Sets the columns of a composite key, in this order.
        composite(&'static [usize]);
        /// Marks records as having no key.
        keyless(true);
        /// Sets the hooks.
        #[doc(hidden)]
        hooks(Some(&'static (dyn Any + Send + Sync)));
        /// Sets the computation of the fields that functions compute.
        #[doc(hidden)]
        computing(Some(Computing));
        /// Sets the doc comment.
        doc(&'static str);
        /// Sets the names that the struct had, the latest one first.
        formers(&'static [Former]);
        /// Makes the resource a view, which is only read.
        view(Some(View));
        /// Sets the former path prefixes.
        moved_from(&'static [&'static str]);
        /// Deprecates the resource.
        deprecation(Some(Deprecation));
        /// Sets the tags.
        tags(&'static [&'static str]);
        /// Sets the name of schemas and operations in the OpenAPI document.
        api_name(Some(&'static str));
        /// Sets the presentation in pages for people.
        presentation(Presentation);
        /// Sets the field with the time zone of a record.
        time_zone(Some(ZonePath));
        /// Sets the default order.
        default_sort(&'static [SortKey]);
        /// Sets the fields of records that fields refer to, by which lists filter.
        paths(&'static [FieldPath]);
        /// Sets the fields of records that fields refer to, by which lists sort.
        sort_paths(&'static [FieldPath]);
        /// Sets the records of other resources that refer to a record of this resource.
        children(&'static [Children]);
        /// Sets the records of other resources that junctions link to a record of this resource.
        many_to_many(&'static [ManyToMany]);
        /// Turns pagination on.
        pagination(Some(Pagination));
        /// Limits what HTTP offers.
        operations(Operations);
        /// Sets the groups of fields that are unique together.
        uniques(&'static [UniqueGroup]);
        /// Sets the spans that must not overlap.
        exclusives(&'static [Exclusive]);
        /// Sets the groups of fields by which creates are upserts.
        upserts(&'static [&'static [usize]]);
        /// Sets the groups of fields that are indexed together.
        indexes(&'static [&'static [usize]]);
        /// Sets the partial indexes.
        partial_indexes(&'static [PartialIndex]);
        /// Turns exports on.
        export(true);
        /// Turns aggregates on.
        aggregate(Some(Aggregate));
        /// Turns full-text search on.
        search(Some(Search));
        /// Turns soft delete on.
        soft_delete(Some(SoftDelete));
        /// Turns batches on.
        batch(Some(Batch));
        /// Turns idempotency keys on.
        idempotency(Some(Idempotency));
        /// Limits the requests of one caller.
        rate_limit(Some(RateLimit));
        /// Turns the audit log on.
        audit(Some(Audit));
        /// Sets the access rules.
        access(AccessRules);
        /// Gives each record an owner.
        owner(Some(Owner));
        /// Gives each record a tenant.
        tenant(Some(Tenant));
        /// Restricts some principals to the records with their claim.
        scopes(&'static [ClaimScope]);
        /// Restricts the changes of some principals to the records with their claim.
        write_scopes(&'static [ClaimScope]);
    }

    /// Marks the table as another program's: it is neither created nor altered.
    #[must_use]
    pub const fn unmanaged(mut self) -> Self {
        self.ownership = Ownership::Unmanaged;
        self
    }

    /// Lets the table be created beside one of nearly the same name.
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

    /// Turns imports on; an import that creates all of its records or none has at most this many.
    #[must_use]
    pub const fn import(mut self, max_rows: u32) -> Self {
        self.import = Some(Import { max_rows });
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
