//! [`Descriptor`]: what the derive knows of a resource, as a static.
//!
//! The derive builds descriptors through the `const` builder methods, so that an expansion names only
//! what the struct's attributes say and everything else has its default in one place, here.

use crate::access::{Access, AccessRules};
use crate::column::{Check, Column, ColumnType};
use crate::value::{Kind, Value, ValueRef};

/// Everything the runtime needs to know of a resource. One `static` for each derive.
#[derive(Debug)]
#[non_exhaustive]
pub struct Descriptor {
    /// The struct's name, such as `Product`.
    pub name: &'static str,
    /// The module path of the struct, such as `shop::catalogue`.
    pub module: &'static str,
    /// The struct's doc comment.
    pub doc: &'static str,
    /// The path prefix, such as `/products`.
    pub prefix: &'static str,
    /// The table's name.
    pub table: &'static str,
    /// The tags that group its operations in the OpenAPI document.
    pub tags: &'static [&'static str],
    /// The fields, in declaration order.
    pub columns: &'static [ColumnDescriptor],
    /// The index of the key in `columns`.
    pub id: usize,
    /// The order of a list whose request has no `sort`; the id is appended where it is missing.
    pub default_sort: &'static [SortKey],
    /// Pages, when they are on.
    pub pagination: Option<Pagination>,
    /// The operations that HTTP offers.
    pub operations: Operations,
    /// Fields that are unique together.
    pub uniques: &'static [&'static [usize]],
    /// Fields that are indexed together.
    pub indexes: &'static [&'static [usize]],
    /// Soft delete, when it is on.
    pub soft_delete: Option<SoftDelete>,
    /// Batches, when they are on.
    pub batch: Option<Batch>,
    /// The audit log, when it is on.
    pub audit: Option<Audit>,
    /// Who may do what, where the service has authentication.
    pub access: AccessRules,
    /// Whose records they are, where each is somebody's.
    pub owner: Option<Owner>,
    /// The fixed statements for SQLite.
    pub sqlite: Option<Statements>,
    /// The fixed statements for PostgreSQL.
    pub postgres: Option<Statements>,
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
        Self {
            name,
            module,
            doc: "",
            prefix,
            table,
            tags: &[],
            columns,
            id,
            default_sort: &[],
            pagination: None,
            operations: Operations::ALL,
            uniques: &[],
            indexes: &[],
            soft_delete: None,
            batch: None,
            audit: None,
            access: AccessRules::AUTHENTICATED,
            owner: None,
            sqlite: None,
            postgres: None,
        }
    }

    /// Sets the doc comment.
    #[must_use]
    pub const fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
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

    /// Turns pages on.
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
    pub const fn uniques(mut self, uniques: &'static [&'static [usize]]) -> Self {
        self.uniques = uniques;
        self
    }

    /// Sets the groups of fields that are indexed together.
    #[must_use]
    pub const fn indexes(mut self, indexes: &'static [&'static [usize]]) -> Self {
        self.indexes = indexes;
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

    /// Turns the audit log on.
    #[must_use]
    pub const fn audit(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
        self
    }

    /// Sets who may do what.
    #[must_use]
    pub const fn access(mut self, access: AccessRules) -> Self {
        self.access = access;
        self
    }

    /// Makes each record somebody's.
    #[must_use]
    pub const fn owner(mut self, owner: Owner) -> Self {
        self.owner = Some(owner);
        self
    }

    /// Sets the statements for SQLite.
    #[must_use]
    pub const fn sqlite(mut self, statements: Statements) -> Self {
        self.sqlite = Some(statements);
        self
    }

    /// Sets the statements for PostgreSQL.
    #[must_use]
    pub const fn postgres(mut self, statements: Statements) -> Self {
        self.postgres = Some(statements);
        self
    }

    /// Whether HTTP offers an operation: what it takes is on, and the attributes leave it. A batch is offered
    /// where what it does is.
    pub const fn offers(&self, operation: Operation) -> bool {
        let single = match operation {
            Operation::BatchCreate => Operation::Create,
            Operation::BatchUpdate => Operation::Update,
            Operation::BatchDelete => Operation::Delete,
            other => other,
        };
        self.enables(operation) && self.operations.contains(operation) && self.operations.contains(single)
    }

    /// Whether an operation gives everybody the same answer, with a token or without.
    pub(crate) fn is_open(&self, operation: Operation) -> bool {
        self.access.admit(operation, None)
            && self.owner.is_none()
            && self.columns.iter().all(|column| column.visible.is_none())
            && !self.hides_deleted(operation)
    }

    /// Whether an operation shows soft-deleted records to those alone who may restore them.
    pub(crate) fn hides_deleted(&self, operation: Operation) -> bool {
        self.soft_delete.is_some()
            && matches!(operation, Operation::List | Operation::Get)
            && !self.access.restore.admits(None)
    }

    /// Whether the option that an operation takes is on.
    pub const fn enables(&self, operation: Operation) -> bool {
        match operation {
            Operation::List | Operation::Get | Operation::Create | Operation::Update | Operation::Delete => true,
            Operation::Restore | Operation::RestoreMany | Operation::Purge | Operation::PurgeMany => {
                self.soft_delete.is_some()
            }
            Operation::BatchCreate | Operation::BatchUpdate | Operation::BatchDelete => self.batch.is_some(),
            Operation::History => self.audit.is_some(),
        }
    }

    /// The key's column.
    pub const fn id_column(&self) -> &'static ColumnDescriptor {
        &self.columns[self.id]
    }

    /// The index and descriptor of the field that JSON calls `name`, among those that clients may see or send.
    pub fn json_field(&self, name: &str) -> Option<(usize, &'static ColumnDescriptor)> {
        self.columns.iter().enumerate().find(|(_, column)| column.json == name && !column.hidden)
    }

    /// The fields that a filter can name.
    pub fn filterable(&self) -> impl Iterator<Item = &'static ColumnDescriptor> {
        self.columns.iter().filter(|column| column.filterable)
    }

    /// The fields that `sort` can name.
    pub fn sortable(&self) -> impl Iterator<Item = &'static ColumnDescriptor> {
        self.columns.iter().filter(|column| column.sortable)
    }
}

/// A field of a resource.
#[allow(clippy::struct_excessive_bools)] // Each is an attribute of its own; no two exclude each other.
#[derive(Debug)]
#[non_exhaustive]
pub struct ColumnDescriptor {
    /// The field's name in the struct.
    pub name: &'static str,
    /// Its name in JSON.
    pub json: &'static str,
    /// Its name in JSON as a quoted and escaped key with the colon, such as `"price":`.
    pub key: &'static str,
    /// Its name in storage.
    pub column: &'static str,
    /// The field's doc comment.
    pub doc: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it can be null.
    pub nullable: bool,
    /// What the type itself asks of a value, beyond the kind.
    pub check: Option<Check>,
    /// Who sets it.
    pub role: Role,
    /// Whether a filter can name it.
    pub filterable: bool,
    /// Whether `sort` can name it.
    pub sortable: bool,
    /// Ignored in bodies.
    pub read_only: bool,
    /// Never returned.
    pub write_only: bool,
    /// Neither accepted nor returned.
    pub hidden: bool,
    /// Accepted on create only.
    pub immutable: bool,
    /// Whether it tells whose the record is: the service sets it, when the record is created over HTTP.
    pub owner: bool,
    /// Who sees it over HTTP; everybody who sees the record, unless there is a rule.
    pub visible: Option<Access>,
    /// Whether storage keeps its values unique.
    pub unique: Option<Uniqueness>,
    /// Whether storage indexes it, whatever filters and sorts say.
    pub indexed: bool,
    /// The stored default.
    pub default: Option<fn() -> Value>,
    /// The resource it refers to.
    pub references: Option<Reference>,
    /// Of a decimal: how many digits in all, at most 18.
    pub precision: u32,
    /// Of a decimal: how many of the digits stand after the point.
    pub scale: u32,
    /// What a value must satisfy.
    pub rules: &'static [Rule],
}

impl ColumnType {
    /// A plain field of the type that has one name everywhere; the derive's to call. Not generic, so that the
    /// large body is compiled once and not for each field type.
    pub const fn column(self, name: &'static str, key: &'static str) -> ColumnDescriptor {
        ColumnDescriptor {
            name,
            json: name,
            key,
            column: name,
            doc: "",
            kind: self.kind,
            nullable: self.nullable,
            check: self.check,
            role: Role::Plain,
            filterable: false,
            sortable: false,
            read_only: false,
            write_only: false,
            hidden: false,
            immutable: false,
            owner: false,
            visible: None,
            unique: None,
            indexed: false,
            default: None,
            references: None,
            precision: 18,
            scale: 4,
            rules: &[],
        }
    }
}

impl ColumnDescriptor {
    /// A plain field of type `T`; `key` is `json` quoted and escaped, with the colon.
    pub const fn new<T: Column>(
        name: &'static str,
        json: &'static str,
        key: &'static str,
        column: &'static str,
    ) -> Self {
        T::TYPE.column(name, key).json(json).column(column)
    }

    /// Sets the name in JSON.
    #[doc(hidden)]
    #[must_use]
    pub const fn json(mut self, json: &'static str) -> Self {
        self.json = json;
        self
    }

    /// Sets the name in storage.
    #[doc(hidden)]
    #[must_use]
    pub const fn column(mut self, column: &'static str) -> Self {
        self.column = column;
        self
    }

    /// Whether a record is soft-deleted, where the struct has no field for it.
    pub const fn is_deleted(json: &'static str, key: &'static str) -> Self {
        bool::TYPE.column("is_deleted", key).json(json).doc("Whether the record is deleted.").role(Role::IsDeleted)
    }

    /// Sets the doc comment.
    #[must_use]
    pub const fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    /// Sets who sets the field.
    #[must_use]
    pub const fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// Lets filters name it.
    #[must_use]
    pub const fn filterable(mut self) -> Self {
        self.filterable = true;
        self
    }

    /// Lets `sort` name it.
    #[must_use]
    pub const fn sortable(mut self) -> Self {
        self.sortable = true;
        self
    }

    /// Lets filters name it when its kind can be compared.
    #[must_use]
    pub const fn filterable_if_comparable(mut self) -> Self {
        self.filterable = self.kind.is_comparable();
        self
    }

    /// Lets `sort` name it when its kind can be compared.
    #[must_use]
    pub const fn sortable_if_comparable(mut self) -> Self {
        self.sortable = self.kind.is_comparable();
        self
    }

    /// Makes HTTP ignore it in bodies.
    #[must_use]
    pub const fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Makes HTTP never return it.
    #[must_use]
    pub const fn write_only(mut self) -> Self {
        self.write_only = true;
        self
    }

    /// Hides it from HTTP.
    #[must_use]
    pub const fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Makes HTTP accept it on create only.
    #[must_use]
    pub const fn immutable(mut self) -> Self {
        self.immutable = true;
        self
    }

    /// Makes it tell whose the record is.
    #[must_use]
    pub const fn owner(mut self) -> Self {
        self.owner = true;
        self
    }

    /// Hides it from everybody but these.
    #[must_use]
    pub const fn visible(mut self, access: Access) -> Self {
        self.visible = Some(access);
        self
    }

    /// Makes storage keep its values unique.
    #[must_use]
    pub const fn unique(mut self, uniqueness: Uniqueness) -> Self {
        self.unique = Some(uniqueness);
        self
    }

    /// Makes storage index it.
    #[must_use]
    pub const fn indexed(mut self) -> Self {
        self.indexed = true;
        self
    }

    /// Sets the stored default.
    #[must_use]
    pub const fn default(mut self, default: fn() -> Value) -> Self {
        self.default = Some(default);
        self
    }

    /// Makes it refer to another resource.
    #[must_use]
    pub const fn references(mut self, target: fn() -> &'static Descriptor, on_delete: OnDelete) -> Self {
        self.references = Some(Reference { target, on_delete });
        self
    }

    /// Bounds a decimal's digits.
    #[must_use]
    pub const fn digits(mut self, precision: u32, scale: u32) -> Self {
        self.precision = precision;
        self.scale = scale;
        self
    }

    /// Sets the rules.
    #[must_use]
    pub const fn rules(mut self, rules: &'static [Rule]) -> Self {
        self.rules = rules;
        self
    }

    /// Whether HTTP answers carry it.
    pub const fn is_returned(&self) -> bool {
        !self.hidden && !self.write_only
    }

    /// Whether the service sets it: what a body says of it is ignored.
    pub const fn is_managed(&self) -> bool {
        self.read_only || self.owner || self.is_assigned()
    }

    /// Whether neither a body nor [`Store`](crate::Store) sets it: an assigned key, a timestamp.
    pub const fn is_assigned(&self) -> bool {
        match self.role {
            Role::Plain => false,
            Role::Id => !matches!(self.kind, Kind::Text),
            Role::CreatedAt | Role::UpdatedAt | Role::DeletedAt | Role::IsDeleted => true,
        }
    }

    /// Whether a create must say it: it has no default, cannot be null and nobody else sets it.
    pub const fn is_required(&self) -> bool {
        !self.is_managed() && !self.nullable && self.default.is_none()
    }
}

/// Whose records a resource has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// The column of the owner's id: the `sub` of their token.
    pub column: usize,
    /// Who sees everybody's records.
    pub except: Option<Access>,
}

/// Who sets a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// The client.
    Plain,
    /// The key: storage assigns integers, the service UUIDs (version 7), the client texts.
    Id,
    /// The service, when a record is created.
    CreatedAt,
    /// The service, when a record is created or changed.
    UpdatedAt,
    /// The service, when a record is soft-deleted or restored: the deletion timestamp.
    DeletedAt,
    /// Nobody: whether there is a deletion timestamp. Not stored itself.
    IsDeleted,
}

/// How far a unique value reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uniqueness {
    /// All records.
    All,
    /// The records that are not soft-deleted.
    Active,
}

/// A reference to another resource's key.
#[derive(Debug, Clone, Copy)]
pub struct Reference {
    /// The other resource; a function, because two resources may refer to each other.
    pub target: fn() -> &'static Descriptor,
    /// What happens to the referring record when the other goes.
    pub on_delete: OnDelete,
}

/// What happens to a referring record when the record it refers to is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDelete {
    /// The delete is refused.
    Restrict,
    /// It is deleted too.
    Cascade,
    /// Its reference becomes null.
    SetNull,
}

/// One thing that a value must satisfy. Null satisfies every rule.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Rule {
    /// A number must not be less.
    Min(Literal),
    /// A number must not be greater.
    Max(Literal),
    /// Text must have so many characters (code points), bytes so many bytes, a list so many items.
    MinLength(usize),
    /// Text, bytes or a list must not be longer.
    MaxLength(usize),
    /// Text must match somewhere.
    Pattern(&'static str),
    /// Text must be an e-mail address (RFC 5321).
    Email,
    /// Text must be an absolute URL (WHATWG).
    Url,
    /// The value must be one of these.
    OneOf(&'static [Literal]),
    /// The user's own check; an error is the message for the client.
    Custom(fn(ValueRef<'_>) -> Result<(), String>),
}

/// A number or text that an attribute gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Literal {
    /// An integer.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(&'static str),
}

/// One key of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortKey {
    /// The column's index.
    pub column: usize,
    /// Whether large values come first.
    pub descending: bool,
}

impl SortKey {
    /// Small values first.
    pub const fn ascending(column: usize) -> Self {
        Self { column, descending: false }
    }

    /// Large values first.
    pub const fn descending(column: usize) -> Self {
        Self { column, descending: true }
    }
}

/// The limits of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pagination {
    /// How many records a page has when the request does not say.
    pub default_limit: u32,
    /// How many it has at most.
    pub max_limit: u32,
    /// What happens to a request for more.
    pub over_limit: OverLimit,
}

impl Pagination {
    /// Pages of so many records, and of so many at most; a request for more is refused.
    pub const fn new(default_limit: u32, max_limit: u32) -> Self {
        Self { default_limit, max_limit, over_limit: OverLimit::Reject }
    }

    /// The same where a request for more gives the largest page.
    #[must_use]
    pub const fn clamp(self) -> Self {
        Self { over_limit: OverLimit::Clamp, ..self }
    }
}

/// What happens to a `limit` above the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverLimit {
    /// 422.
    Reject,
    /// The largest is used.
    Clamp,
}

/// Soft delete's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoftDelete {
    /// The column of the deletion timestamp.
    pub deleted_at: usize,
    /// Whether lists have soft-deleted records unless the request says otherwise.
    pub include_deleted_by_default: bool,
    /// Whether an update restores.
    pub auto_restore_on_update: bool,
}

impl SoftDelete {
    /// With the timestamp in this column, and every option off.
    pub const fn new(deleted_at: usize) -> Self {
        Self { deleted_at, include_deleted_by_default: false, auto_restore_on_update: false }
    }

    /// Lists have soft-deleted records.
    #[must_use]
    pub const fn include_deleted_by_default(mut self) -> Self {
        self.include_deleted_by_default = true;
        self
    }

    /// An update restores.
    #[must_use]
    pub const fn auto_restore_on_update(mut self) -> Self {
        self.auto_restore_on_update = true;
        self
    }
}

/// The batch options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    /// How many items a batch has at most.
    pub max_size: u32,
    /// Whether the good items of a batch stand when others fail.
    pub partial: bool,
}

impl Batch {
    /// So many items at most, all of them or none.
    pub const fn atomic(max_size: u32) -> Self {
        Self { max_size, partial: false }
    }

    /// So many items at most, each by itself.
    pub const fn partial(max_size: u32) -> Self {
        Self { max_size, partial: true }
    }
}

/// The audit log's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audit {
    /// Whether the changed values are recorded.
    pub track_changes: bool,
    /// Whether the actor is recorded.
    pub track_user: bool,
    /// Whether the time is recorded.
    pub track_timestamp: bool,
}

impl Audit {
    /// Everything is recorded.
    pub const EVERYTHING: Self = Self { track_changes: true, track_user: true, track_timestamp: true };

    /// So much is recorded: the changed values, the actor, the time.
    pub const fn new(track_changes: bool, track_user: bool, track_timestamp: bool) -> Self {
        Self { track_changes, track_user, track_timestamp }
    }
}

/// An operation on a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// `GET {prefix}`
    List,
    /// `GET {prefix}/{id}`
    Get,
    /// `POST {prefix}`
    Create,
    /// `PUT {prefix}/{id}` and `PATCH {prefix}/{id}`
    Update,
    /// `DELETE {prefix}/{id}`
    Delete,
    /// `POST {prefix}/{id}/restore`
    Restore,
    /// `POST {prefix}/restore`
    RestoreMany,
    /// `DELETE {prefix}/{id}/permanent`
    Purge,
    /// `DELETE {prefix}/deleted`
    PurgeMany,
    /// `POST {prefix}/batch`
    BatchCreate,
    /// `PUT {prefix}/batch`
    BatchUpdate,
    /// `DELETE {prefix}/batch` and `POST {prefix}/batch/delete`
    BatchDelete,
    /// `GET {prefix}/{id}/history`
    History,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 13] = [
        Self::List,
        Self::Get,
        Self::Create,
        Self::Update,
        Self::Delete,
        Self::Restore,
        Self::RestoreMany,
        Self::Purge,
        Self::PurgeMany,
        Self::BatchCreate,
        Self::BatchUpdate,
        Self::BatchDelete,
        Self::History,
    ];
}

/// A set of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operations(u16);

impl Operations {
    /// Every operation.
    pub const ALL: Self = Self(u16::MAX);
    /// No operation.
    pub const NONE: Self = Self(0);

    /// The set with one more.
    #[must_use]
    pub const fn with(self, operation: Operation) -> Self {
        Self(self.0 | 1 << operation as u16)
    }

    /// The set with one less.
    #[must_use]
    pub const fn without(self, operation: Operation) -> Self {
        Self(self.0 & !(1 << operation as u16))
    }

    /// Whether the set has it.
    pub const fn contains(self, operation: Operation) -> bool {
        self.0 & (1 << operation as u16) != 0
    }
}

/// A resource's fixed statements in one SQL dialect. Every identifier is quoted; values are bound.
#[derive(Debug, Clone, Copy)]
pub struct Statements {
    /// `SELECT <all columns> FROM <table>`, to which a list appends its clauses.
    pub select: &'static str,
    /// `SELECT COUNT(*) FROM <table>`, the same.
    pub count: &'static str,
    /// The record of a key; binds the key.
    pub get: &'static str,
    /// `INSERT … RETURNING <all columns>`; binds the columns of `insert_columns`.
    pub insert: &'static str,
    /// The columns that an insert binds, in order.
    pub insert_columns: &'static [usize],
    /// `UPDATE <table> SET `, to which an update appends its assignments, its condition and `returning`.
    pub update: &'static str,
    /// ` RETURNING <all columns>`.
    pub returning: &'static str,
    /// `DELETE … RETURNING <all columns>`; binds the key.
    pub delete: &'static str,
}
