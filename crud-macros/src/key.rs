//! Every attribute key, once: its name, its legal form and its meaning.
//!
//! A place where keys stand is an enum, so that the code that reads it matches each of its keys. This list also
//! generates the completion in editors, and the tests that every key has an example and is on the book's page of
//! attributes.

/// A place where keys stand: the enum of its keys.
pub(crate) trait AttributeKey: Copy + 'static {
    /// The keys.
    const ALL: &'static [Self];
    /// Their specifications, in the same order.
    const SPECS: &'static [Spec];
    /// Specification of the place.
    const PLACE: &'static AttributePlace;
}

/// Specification of a place where keys stand.
#[derive(Debug)]
pub(crate) struct AttributePlace {
    /// The module of the runtime that offers editors the keys, and its documentation. serde's keys have none.
    pub(crate) completion: Option<(&'static str, &'static str)>,
    /// The keys' specifications.
    pub(crate) keys: &'static [Spec],
    /// The keys of a place that is easily mistaken for this one, and the name of that place.
    pub(crate) elsewhere: Option<(&'static [Spec], &'static str)>,
}

/// Specification of a key.
#[derive(Debug)]
pub(crate) struct Spec {
    /// The key.
    pub(crate) name: &'static str,
    /// The legal form, in backticks. For a key of serde: what to write instead.
    pub(crate) form: &'static str,
    /// The meaning, as editors show it.
    pub(crate) meaning: &'static str,
    /// Whether the key may stand more than once.
    pub(crate) repeatable: bool,
}

macro_rules! keys {
    (@completion $module:literal $doc:literal) => { Some(($module, $doc)) };
    (@completion $doc:literal) => { None };
    (@repeatable) => { false };
    (@repeatable repeatable) => { true };
    (@elsewhere) => { None };
    (@elsewhere $other:ident $name:literal) => { Some((<$other as AttributeKey>::SPECS, $name)) };
    ($(
        #[doc = $doc:literal]
        $place:ident $(in $module:literal)? $(, not $other:ident on $other_name:literal)? {
            $( $(#[doc = $meaning:literal])* $key:ident: $name:literal, $form:literal $(, $repeatable:ident)?; )+
        }
    )+) => {
        $(
            #[doc = $doc]
            // A variant has the name of its key.
            #[allow(clippy::enum_variant_names)]
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub(crate) enum $place {
                $($(#[doc = $meaning])* $key,)+
            }

            impl AttributeKey for $place {
                const ALL: &'static [Self] = &[$(Self::$key),+];
                const SPECS: &'static [Spec] = &[$(Spec {
                    name: $name,
                    form: $form,
                    meaning: concat!($($meaning),*),
                    repeatable: keys!(@repeatable $($repeatable)?),
                }),+];
                const PLACE: &'static AttributePlace = &AttributePlace {
                    completion: keys!(@completion $($module)? $doc),
                    keys: Self::SPECS,
                    elsewhere: keys!(@elsewhere $($other $other_name)?),
                };
            }
        )+

        /// Every place.
        pub(crate) const PLACES: &[&AttributePlace] = &[$($place::PLACE),+];
    };
}

keys! {
    /// On a struct that derives `Resource`.
    StructKey in "container", not FieldKey on "a field" {
        /// the path prefix; without it `/` and the plural of the struct's name.
        Prefix: "prefix", "`prefix = \"/products\"`";
        /// the prefixes that the resource had: requests there are redirected.
        MovedFrom: "moved_from", "`moved_from(\"/v1/products\")`";
        /// clients should stop using the resource: the document and the headers of responses say so.
        Deprecated: "deprecated", "`deprecated(since = \"2026-01-01\", sunset = \"2026-12-31\", link = \"https://…\")`";
        /// the table; without it the plural of the struct's name.
        Table: "table", "`table = \"products\"` or `table(\"products\", schema = \"sales\", unmanaged)`";
        /// the name that the struct had, the latest one first: its table, its routes and its audit log stay.
        RenamedFrom: "renamed_from", "`renamed_from = \"Order\"` or `renamed_from(\"Order\", table = \"shop_orders\")`", repeatable;
        /// the SQL of a view and the resources that it reads: the resource is read, not written; alone, a view or table
        /// that is there already.
        View: "view", "`view(\"SELECT …\", reads(Ticket))`, `view(include_str!(\"view.sql\"), reads(Ticket))`, `view(sqlite = \"…\", postgres = \"…\", reads(Ticket))`, or `view` alone for one that is there already";
        /// the tags that group the operations in the `OpenAPI` document.
        Tags: "tags", "`tags(\"Products\")`";
        /// the name of the schemas and operations in the `OpenAPI` document; without it the struct's.
        ApiName: "api_name", "`api_name = \"CatalogueProduct\"`";
        /// how pages for people, such as an admin page, show the resource.
        Admin: "admin", "`admin(title(name), list(name, price), group = \"Catalogue\", hide, read_only)`";
        /// the fields that a list can be filtered by.
        Filter: "filter", "`filter` or `filter(name, category::name)`";
        /// the fields that a list can be sorted by.
        Sort: "sort", "`sort` or `sort(name, category::name)`";
        /// records of other resources that refer to one of this.
        HasMany: "has_many", "`has_many(orders(Order::customer_id, limit = 20, sort(desc(created_at))))`";
        /// records of other resources that a junction links to one of this.
        ManyToMany: "many_to_many", "`many_to_many(labels(IssueLabel))` or `many_to_many(labels(IssueLabel::issue_id, IssueLabel::label_id, limit = 20))`";
        /// the order of a list whose request gives none.
        DefaultSort: "default_sort", "`default_sort(desc(created_at), name)`";
        /// the text fields whose words lists find records by, as `q=desk lamp`.
        Search: "search", "`search(name, description)` or `search(name, language = \"english\")`";
        /// traits of other crates for the struct, by its JSON over HTTP.
        Derive: "derive", "`derive(Serialize, ToSchema)`";
        /// the number of the records of a list, and sums, averages and extremes of their values, by groups.
        Aggregate: "aggregate", "`aggregate(group_by(status, created_at), over(price))`";
        /// lists as files of JSON or of comma-separated values.
        Export: "export", "`export`";
        /// records from files of JSON or of comma-separated values.
        Import: "import", "`import` or `import(max_rows = 100_000)`";
        /// lists in pages.
        Pagination: "pagination", "`pagination` or `pagination(default_limit = 20, max_limit = 100)`";
        /// a deleted record stays, and can be restored.
        SoftDelete: "soft_delete", "`soft_delete` or `soft_delete(include_deleted_by_default)`";
        /// many records in one request.
        Batch: "batch", "`batch` or `batch(max_size = 1000, mode(atomic))`";
        /// a request that is repeated with its `Idempotency-Key` is carried out once.
        Idempotency: "idempotency", "`idempotency` or `idempotency(required, ttl = \"24h\")`";
        /// how many requests a caller may send, to all routes of the resource together.
        RateLimit: "rate_limit", "`rate_limit(100, per = \"1m\")`";
        /// a log of every change.
        Audit: "audit", "`audit` or `audit(without(user), keep = \"400d\")`";
        /// who may do what.
        Access: "access", "`access(read(public), write(authenticated))`";
        /// functions that each change of a record calls.
        Hooks: "hooks", "`hooks(before(path::to::function))`";
        /// the operations that HTTP offers.
        Operations: "operations", "`operations(list, get)` or `operations(except(delete))`";
        /// no operation over HTTP: the program alone has the records.
        Internal: "internal", "`internal`";
        /// which records the principals with a role see: those that hold their claim.
        Scope: "scope", "`scope(role(\"customer\"), customer_id(claim(\"customer\")))`", repeatable;
        /// fields that are unique together; with `among(active)`, among the records that are not deleted; with
        /// `among(global)`, among those of every tenant; with `case_insensitive(b)`, in any letter case.
        Unique: "unique", "`unique(a, b)` or `unique(a, b, among(active))`", repeatable;
        /// a span between two fields, of which no two overlap among the records with equal values in the fields before it;
        /// with `..=`, its end belongs to it; with a state, only records in it count.
        Exclusive: "exclusive", "`exclusive(room_id, starts_at..ends_at)` or `exclusive(room_id, starts_at..ends_at, status = any(Requested, Approved))`", repeatable;
        /// the field with the time zone of a record: its own, that of the record that a field refers to, or whatever that
        /// record's struct states. Filters by a day have its midnights.
        TimeZone: "time_zone", "`time_zone(zone)`, `time_zone(room::zone)` or `time_zone(room)`";
        /// unique fields by which a create changes the record that has their values.
        Upsert: "upsert", "`upsert(sku)`", repeatable;
        /// fields that are indexed together.
        Index: "index", "`index(a, b)`", repeatable;
        /// the case of the names in JSON.
        RenameAll: "rename_all", "`rename_all = \"camelCase\"`";
        /// the path of the runtime.
        Crate: "crate", "`crate(::path::to::crud_runtime)`";
    }

    /// On a field.
    FieldKey in "field", not StructKey on "the struct" {
        /// the field is the key, or one of several that are the key together; with `client`, clients set it whatever its
        /// type.
        Id: "id", "`id`, or `id(client)` on a key that clients set";
        /// a list can be filtered by the field; with `off`, on the key alone, not.
        Filter: "filter", "`filter`, or `filter(off)` on the key";
        /// a list can be sorted by the field; with `off`, on the key alone, not.
        Sort: "sort", "`sort`, or `sort(off)` on the key";
        /// no two records of a tenant have the same value; with `active`, no two that are not deleted; with `global`, no
        /// two of all tenants; with `case_insensitive`, no two texts that differ only in letter case.
        Unique: "unique", "`unique`, `unique(active)`, `unique(global)` or `unique(case_insensitive)`";
        /// storage indexes the field.
        Index: "index", "`index`";
        /// the stored value when a create leaves the field out; with `database`, the one that the database fills in.
        Default: "default", "`default = \"pending\"`, `default(Status::Open)` or `default(database)`";
        /// set by the service when a record is created.
        CreatedAt: "created_at", "`created_at`, or `created_at(off)` on a field of this name that clients set";
        /// set by the service when a record is created or changed.
        UpdatedAt: "updated_at", "`updated_at`, or `updated_at(off)` on a field of this name that clients set";
        /// the time of a soft delete, or the `bool` that says whether a record is deleted.
        DeletedAt: "deleted_at", "`deleted_at`";
        /// the key of a record of that resource, or with `users` of a user in the service's own table.
        References: "references", "`references(Category)`, `references(Category, expand, on_delete(restrict))`, `references(Line, by(order_id, line_no))` or `references(users)`";
        /// the record's owner.
        Owner: "owner", "`owner` or `owner(except(role(\"admin\")))`";
        /// the record's tenant, from the claim that the service's authentication names.
        Tenant: "tenant", "`tenant`, `tenant(except(role(\"root\")))` or `tenant(members(user_id, role, keep = \"owner\"))`";
        /// the field is a state: how it may change, each with a name, a route and who may do it.
        Transitions: "transitions", "`transitions(publish(Draft, Published), archive(any(Draft, Published), Archived, role(\"editor\")))`";
        /// the field is not stored: an SQL expression of the record's own columns computes it, or a function,
        /// `fn(&T, &RequestContext<'_>) -> V`, when the record is written as JSON.
        Computed: "computed", "`computed(sql = \"price * stock\")`, `computed(sqlite = \"…\", postgres = \"…\")` or `computed(Todo::url)`";
        /// who may see the field.
        Visible: "visible", "`visible(role(\"admin\"))`";
        /// how many digits a decimal has in all, and after the point.
        Decimal: "decimal", "`decimal(18, 4)`";
        /// ignored in bodies.
        ReadOnly: "read_only", "`read_only`";
        /// never returned.
        WriteOnly: "write_only", "`write_only`";
        /// neither accepted nor returned.
        Hidden: "hidden", "`hidden`";
        /// accepted on create only.
        Immutable: "immutable", "`immutable`";
        /// clients should stop using the field: the document says so.
        Deprecated: "deprecated", "`deprecated`";
        /// the bounds of a number, both inclusive.
        Range: "range", "`range(min = 0, max = 100)`";
        /// the bounds of a length: of text, bytes or a list.
        Length: "length", "`length(min = 1, max = 200)` or `length(unbounded)`";
        /// further rules for the value.
        Validate: "validate", "`validate(email)`, `validate(pattern = \"^[a-z]+$\")` or `validate(custom(path::to::function))`";
        /// the name in JSON.
        Rename: "rename", "`rename = \"name\"`";
        /// the column: its name, its type, the form of its values, and how a migration makes it.
        Column: "column", "`column = \"name\"` or `column(\"name\", sql_type = \"inet\")`";
    }

    /// On an enum that derives `ResourceEnum`.
    EnumKey in "enumeration", not VariantKey on "a variant" {
        /// values have the order of their declaration: in sorts, and for `gt` and the like.
        Ordered: "ordered", "`ordered`";
        /// what values are stored as, where it is not their texts: the numbers of the variants.
        Stored: "stored", "`stored(integer)`";
        /// `Display` and `FromStr`, by the variants' texts.
        Display: "display", "`display`";
        /// the case of the variants' texts.
        RenameAll: "rename_all", "`rename_all = \"camelCase\"`";
        /// the path of the runtime.
        Crate: "crate", "`crate(::path::to::crud_runtime)`";
    }

    /// On a variant.
    VariantKey in "variant", not EnumKey on "the enum" {
        /// the variant's text.
        Rename: "rename", "`rename = \"name\"`";
        /// the variant for people: in the document, and by `label()`.
        Label: "label", "`label = \"In progress\"`";
        /// the variant of every text that no other variant has.
        Other: "other", "`other`";
    }

    /// Inside `pagination(…)`.
    PaginationKey in "pagination" {
        /// how many records a page has when the request gives no limit.
        DefaultLimit: "default_limit", "`default_limit = 20`";
        /// how many records a page has at most.
        MaxLimit: "max_limit", "`max_limit = 100`";
        /// what happens to a request for more.
        OverLimit: "over_limit", "`over_limit(reject)` or `over_limit(clamp)`";
        /// how precisely lists count their records.
        Count: "count", "`count(exact)`, `count(capped(10_000))` or `count(none)`";
        /// the page after one and the page before it, by `cursor`, at a cost that does not grow with their number.
        Cursor: "cursor", "`cursor`";
    }

    /// Inside `has_many(name(…))`, after the field that refers.
    HasManyKey in "has_many" {
        /// how many of one record `expand` returns at most.
        Limit: "limit", "`limit = 20`";
        /// their order; without it that of their lists.
        Sort: "sort", "`sort(desc(created_at), name)`";
        /// bodies of the record have them: they are created and changed with it.
        Nested: "nested", "`nested`";
    }

    /// Inside `many_to_many(…)`.
    ManyToManyKey in "many_to_many" {
        /// how many of one record `expand` returns at most.
        Limit: "limit", "`limit = 20`";
    }

    /// Inside `soft_delete(…)`.
    SoftDeleteKey in "soft_delete" {
        /// lists include deleted records unless the request says otherwise.
        IncludeDeletedByDefault: "include_deleted_by_default", "`include_deleted_by_default`";
        /// an update restores a deleted record.
        AutoRestoreOnUpdate: "auto_restore_on_update", "`auto_restore_on_update`";
    }

    /// Inside `batch(…)`.
    BatchKey in "batch" {
        /// how many items a batch has at most.
        MaxSize: "max_size", "`max_size = 1000`";
        /// whether the valid items of a batch are applied when others fail.
        Mode: "mode", "`mode(atomic)` or `mode(partial)`";
    }

    /// Inside `admin(…)`.
    AdminKey in "admin" {
        /// the field by which people know a record; without it a text called `name` or `title`, or a unique text.
        Title: "title", "`title(name)`";
        /// the columns of a list, in this order.
        List: "list", "`list(name, price)`";
        /// the heading under which the resource stands.
        Group: "group", "`group = \"Catalogue\"`";
        /// no place in the menu: records are reached from others.
        Hide: "hide", "`hide`";
        /// no changes are offered; what the API admits stays.
        ReadOnly: "read_only", "`read_only`";
    }

    /// Inside `aggregate(…)`.
    AggregateKey in "aggregate" {
        /// the fields whose values make a group.
        GroupBy: "group_by", "`group_by(status, created_at)`";
        /// the fields of sums, averages, and least and greatest values.
        Over: "over", "`over(price)`";
        /// how many groups a request gets at most.
        MaxGroups: "max_groups", "`max_groups = 1000`";
    }

    /// Inside `deprecated(…)` on the struct.
    DeprecatedKey in "deprecated" {
        /// the day since which clients should not use it.
        Since: "since", "`since = \"2026-01-01\"`";
        /// the day from which it may be gone.
        Sunset: "sunset", "`sunset = \"2026-12-31\"`";
        /// the URL of a page about it.
        Link: "link", "`link = \"https://example.com/changes\"`";
    }

    /// Inside `import(…)`.
    ImportKey in "import" {
        /// how many records of a file are imported all or none.
        MaxRows: "max_rows", "`max_rows = 100_000`";
    }

    /// Inside `idempotency(…)`.
    IdempotencyKey in "idempotency" {
        /// a request without a key is refused.
        Required: "required", "`required`";
        /// for how long a repeated request gets the first one's answer.
        Ttl: "ttl", "`ttl = \"24h\"`";
    }

    /// Inside `rate_limit(…)`, after the number of requests.
    RateLimitKey in "rate_limit" {
        /// the window: seconds, minutes, hours or days.
        Per: "per", "`per = \"1m\"`";
    }

    /// Inside `audit(…)`.
    AuditKey in "audit" {
        /// parts that entries lack: the changed values, the actor, the time.
        Without: "without", "`without(changes, user, timestamp)`";
        /// for how long entries are kept.
        Keep: "keep", "`keep = \"400d\"`";
    }

    /// Inside `hooks(…)`.
    HooksKey in "hooks" {
        /// called before a change is written,
        /// `async fn(&mut Changeset<'_, T>, &mut HookContext<'_>) -> Result<(), Problem>`.
        Before: "before", "`before(path::to::function)`";
        /// called when a change is written and not yet committed,
        /// `async fn(&Changed<'_, T>, &mut HookContext<'_>) -> Result<(), Problem>`.
        After: "after", "`after(path::to::function)`";
        /// called after the commit, `async fn(Changed<'static, T>, App)`.
        Committed: "committed", "`committed(path::to::function)`";
        /// a check of records as they would be stored, `fn(&mut Changeset<'_, T>)`.
        Validate: "validate", "`validate(path::to::function)`";
    }

    /// Inside `view(…)`.
    ViewKey in "view" {
        /// the SQL on SQLite.
        Sqlite: "sqlite", "`sqlite = \"SELECT …\"` or `sqlite(include_str!(\"view.sql\"))`";
        /// the SQL on PostgreSQL.
        Postgres: "postgres", "`postgres = \"SELECT …\"` or `postgres(include_str!(\"view.sql\"))`";
        /// the SQL on MySQL and MariaDB.
        Mysql: "mysql", "`mysql = \"SELECT …\"` or `mysql(include_str!(\"view.sql\"))`";
        /// the resources whose tables or views the SQL reads; `reads()` for none.
        Reads: "reads", "`reads(Ticket, Customer)`";
    }

    /// Inside `table(…)`, after the name.
    TableKey in "table" {
        /// the schema of the table: PostgreSQL's, or the database of `MySQL`.
        Schema: "schema", "`schema = \"sales\"`";
        /// the table is another program's: nothing of it is created or altered.
        Unmanaged: "unmanaged", "`unmanaged`";
        /// the table is meant to be created, though one of nearly the same name has records.
        New: "new", "`new`";
        /// records have no key: they are only listed, in the order of every field that `sort` can name.
        NoKey: "no_key", "`no_key`";
        /// what texts are compared by: the collation that the database gives them; without it, code points.
        Collation: "collation", "`collation(database)`";
    }

    /// Inside `derive(…)`.
    DeriveKey in "derive" {
        /// serde's `Serialize` for the struct, as HTTP writes it to a request without a token.
        Serialize: "Serialize", "`Serialize`";
        /// schemas of the struct and its input types in `Json` of own routes; with the feature `utoipa`, by utoipa's `ToSchema`.
        ToSchema: "ToSchema", "`ToSchema`";
    }

    /// Inside `operations(…)`.
    OperationsKey in "operations" {
        /// the operations that HTTP does not offer: it offers all others.
        Except: "except", "`except(delete)`";
    }

    /// Inside `references(…)`, after the resource.
    ReferencesKey in "references" {
        /// a principal may refer to records that it may not read.
        Any: "any", "`any`";
        /// there is no foreign key.
        Unconstrained: "unconstrained", "`unconstrained`";
        /// requests can ask for the record that is referred to within this one, by `expand`.
        Expand: "expand", "`expand`";
        /// what requests call the record that is referred to; without it the field's name without `_id`.
        Relation: "relation", "`relation(category)`";
        /// what happens when the record that is referred to is deleted.
        OnDelete: "on_delete", "`on_delete(restrict)`, `on_delete(cascade)` or `on_delete(set_null)`";
        /// the fields that refer to a key of as many fields together; the attribute stands on the last of them.
        By: "by", "`by(order_id, line_no)`";
    }

    /// Inside `length(…)`.
    LengthKey in "length" {
        /// the least length.
        Min: "min", "`min = 1`";
        /// the greatest length.
        Max: "max", "`max = 200`";
        /// text of any length: the service's own limit is lifted.
        Unbounded: "unbounded", "`unbounded`";
    }

    /// Inside `range(…)`.
    RangeKey in "range" {
        /// the least number.
        Min: "min", "`min = 0`";
        /// the greatest number.
        Max: "max", "`max = 100`";
    }

    /// Inside `validate(…)` on a field.
    ValidateKey in "validate" {
        /// the regular expression that text matches somewhere.
        Pattern: "pattern", "`pattern = \"^[a-z]+$\"`";
        /// text is an e-mail address.
        Email: "email", "`email`";
        /// text is an absolute URL.
        Url: "url", "`url`";
        /// the values that are accepted.
        OneOf: "one_of", "`one_of(\"small\", \"large\")`";
        /// a check written by hand, `fn(&T) -> Result<(), impl Display>`.
        Custom: "custom", "`custom(path::to::function)`", repeatable;
    }

    /// Inside `column(…)`, after the name.
    ColumnKey in "column" {
        /// the column's type in PostgreSQL, MySQL or MariaDB, where it is not the field's: an enum or another type that is read
        /// and written as text, or a domain of the field's type.
        SqlType: "sql_type", "`sql_type = \"inet\"`";
        /// the spelling of stored values that another program chose.
        Format: "format", "`format = \"%Y-%m-%d %H:%M:%S\"`, `\"unix\"` or `\"uppercase\"`";
        /// the name that the column had: a migration renames it, and its values stay.
        RenamedFrom: "renamed_from", "`renamed_from = \"old_name\"`";
        /// the value of the records that exist when a migration adds the field.
        Backfill: "backfill", "`backfill = \"unknown\"` or `backfill(Status::Open)`";
    }

    /// Inside `computed(…)`.
    ComputedKey in "computed" {
        /// the expression on every database that no other key names.
        Sql: "sql", "`sql = \"price * stock\"`";
        /// the expression on SQLite.
        Sqlite: "sqlite", "`sqlite = \"first || last\"`";
        /// the expression on PostgreSQL.
        Postgres: "postgres", "`postgres = \"first || last\"`";
        /// the expression on MySQL and MariaDB.
        Mysql: "mysql", "`mysql = \"concat(first, last)\"`";
    }

    /// Inside `renamed_from(…)`, after the name.
    RenamedFromKey in "renamed_from" {
        /// the table that the struct had by that name.
        Table: "table", "`table = \"shop_orders\"`";
    }

    /// Inside `index(…)`, beside the fields.
    IndexKey in "index" {
        /// only the records that have a value in this field are in the index.
        Some: "some", "`some(customer_id)`";
    }

    /// Inside `unique(…)` on the struct, beside the fields.
    UniqueKey in "unique" {
        /// the records among which the fields are unique together.
        Among: "among", "`among(active)` or `among(global)`";
        /// the text fields that are compared without regard to letter case.
        CaseInsensitive: "case_insensitive", "`case_insensitive(email)`";
    }

    /// Inside `search(…)`, beside the fields.
    SearchKey in "search" {
        /// the language by whose rules PostgreSQL reduces words to their stems.
        Language: "language", "`language = \"english\"`";
    }

    /// Inside `owner(…)`.
    OwnerKey in "owner" {
        /// who is not bound by ownership.
        Except: "except", "`except(role(\"admin\"))`";
        /// who may name another owner.
        Assign: "assign", "`assign(role(\"staff\"))`";
    }

    /// Inside `tenant(…)`.
    TenantKey in "tenant" {
        /// who is not bound to one tenant.
        Except: "except", "`except(role(\"root\"))`";
        /// the records are memberships: the field of the user, and that of the user's role in the tenant.
        Members: "members", "`members(user_id)`, `members(user_id, role)` or `members(user_id, role, keep = \"owner\")`";
    }

    /// Inside `members(…)`, after the fields.
    MembersKey in "members" {
        /// the role that a tenant's last member with it keeps.
        Keep: "keep", "`keep = \"owner\"`";
    }

    /// Keys of `#[serde(…)]` on a struct that change its JSON.
    SerdeStructKey {
        RenameAll: "rename_all", "write `rename_all = \"…\"`";
        Default: "default", "write `#[serde(default)]` on each field that has a default";
        Tag: "tag", "remove it";
        Transparent: "transparent", "remove it";
        From: "from", "remove it";
        TryFrom: "try_from", "remove it";
        Into: "into", "remove it";
        Remote: "remote", "remove it";
    }

    /// Keys of `#[serde(…)]` on an enum of unit variants that change its JSON.
    SerdeEnumKey {
        RenameAll: "rename_all", "write `rename_all = \"…\"`";
        Tag: "tag", "remove it";
        Content: "content", "remove it";
        Untagged: "untagged", "remove it";
        From: "from", "remove it";
        TryFrom: "try_from", "remove it";
        Into: "into", "remove it";
        Remote: "remote", "remove it";
    }

    /// Keys of `#[serde(…)]` on a field that change its JSON.
    SerdeFieldKey {
        Rename: "rename", "write `rename = \"…\"`";
        Default: "default", "write `default(…)`";
        Skip: "skip", "write `#[crud(hidden)]`";
        SkipSerializing: "skip_serializing", "write `#[crud(write_only)]` beside it";
        SkipDeserializing: "skip_deserializing", "write `#[crud(read_only)]` beside it";
        SkipSerializingIf: "skip_serializing_if", "a record has all of its fields, so remove it";
        Flatten: "flatten", "write the fields into this struct";
        Alias: "alias", "a field has one name, so remove it or write `rename = \"…\"`";
        With: "with", "implement `crud_runtime::Column` for the field's type";
        SerializeWith: "serialize_with", "implement `crud_runtime::Column` for the field's type";
        DeserializeWith: "deserialize_with", "implement `crud_runtime::Column` for the field's type";
    }

    /// Keys of `#[serde(…)]` on a unit variant that change its JSON.
    SerdeVariantKey {
        Rename: "rename", "write `rename = \"…\"`";
        Skip: "skip", "remove it";
        SkipSerializing: "skip_serializing", "remove it";
        SkipDeserializing: "skip_deserializing", "remove it";
        Alias: "alias", "a variant has one name, so remove it or write `rename = \"…\"`";
        Other: "other", "remove it";
        Untagged: "untagged", "remove it";
        SerializeWith: "serialize_with", "implement `crud_runtime::Column` for the enum";
        DeserializeWith: "deserialize_with", "implement `crud_runtime::Column` for the enum";
        With: "with", "implement `crud_runtime::Column` for the enum";
    }
}
