//! The validated resource: what the expansion is written from.

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Visibility};

use crate::attr::Spanned;
use crate::attr::access::{Access, Grant};
use crate::attr::audit::Audit;
use crate::attr::computed::Computed;
use crate::attr::deprecated::Deprecation;
use crate::attr::field::{Among, Exposure, OnDelete, Owner, Rule, Tenant, Unique};
use crate::attr::hooks::HooksAttribute;
use crate::attr::of_type::TypeAttribute;
use crate::attr::operation::Operation;
use crate::attr::pagination::Count;
use crate::attr::rate_limit::RateLimit;
use crate::attr::transition::Transitions;
use crate::ctxt::SpanRange;
use crate::ty::{FieldType, Known};

/// A resource.
#[allow(clippy::struct_excessive_bools)] // Each is an attribute for itself.
pub(crate) struct Model<'a> {
    /// The path of the runtime.
    pub(crate) krate: TokenStream,
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    /// The struct's name, without `r#`.
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) prefix: String,
    /// Former path prefixes.
    pub(crate) moved_from: Vec<String>,
    pub(crate) deprecation: Option<Deprecation>,
    /// The table; `schema.table` where the struct states a schema.
    pub(crate) table: String,
    pub(crate) ownership: Ownership,
    pub(crate) database_collation: bool,
    /// Former names of the struct, the latest first.
    pub(crate) formers: Vec<Former>,
    /// The view, where the resource has no table.
    pub(crate) view: Option<View>,
    pub(crate) tags: Vec<String>,
    /// Name of the schemas and operations in the OpenAPI document, where it is not the struct's.
    pub(crate) api_name: Option<String>,
    pub(crate) fields: Vec<Field<'a>>,
    /// The indexes of the key's fields, several for a composite key. Empty where records have no key, or where its lack
    /// is an error.
    pub(crate) key: Vec<usize>,
    /// Whether records have no key.
    pub(crate) no_key: bool,
    /// Fields of records that fields refer to, by which lists filter.
    pub(crate) paths: Vec<FieldPath>,
    /// Fields of records that fields refer to, by which lists sort.
    pub(crate) sort_paths: Vec<FieldPath>,
    /// Records of other resources that refer to records of this resource.
    pub(crate) children: Vec<Children>,
    pub(crate) many_to_many: Vec<ManyToMany>,
    pub(crate) default_sort: Vec<SortKey>,
    pub(crate) search: Option<Search>,
    pub(crate) aggregate: Option<Aggregate>,
    /// Presentation in pages for people.
    pub(crate) presentation: Option<Presentation>,
    /// Whether lists can be exported.
    pub(crate) export: bool,
    /// Whether the struct and its inputs have `ToSchema`.
    pub(crate) to_schema: bool,
    /// The span of `Serialize` in `derive`, where serde's `Serialize` is implemented.
    pub(crate) serialize: Option<Span>,
    /// Maximum number of records in an all-or-none import.
    pub(crate) import: Option<u32>,
    pub(crate) pagination: Option<Pagination>,
    pub(crate) operations: Operations,
    pub(crate) scopes: Vec<Scope>,
    /// The fields of a membership.
    pub(crate) members: Option<Members>,
    pub(crate) uniques: Vec<UniqueGroup>,
    pub(crate) exclusives: Vec<Exclusive>,
    /// The field with the time zone of a record.
    pub(crate) time_zone: Option<ZonePath>,
    /// Groups of unique fields: a create becomes an update of the record that has the same values in them.
    pub(crate) upserts: Vec<Vec<usize>>,
    pub(crate) indexes: Vec<Vec<usize>>,
    pub(crate) partial_indexes: Vec<PartialIndex>,
    pub(crate) soft_delete: Option<SoftDelete>,
    pub(crate) batch: Option<Batch>,
    pub(crate) idempotency: Option<Idempotency>,
    pub(crate) rate_limit: Option<RateLimit>,
    pub(crate) audit: Option<Audit>,
    /// The grants of `access`; `None` for the default.
    pub(crate) access: Option<Vec<Grant>>,
    /// The functions that each change of a record calls.
    pub(crate) hooks: Option<HooksAttribute>,
    pub(crate) asserts: Vec<Assert>,
}

/// Owner of the table: the program, or another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ownership {
    /// The program's.
    Program,
    /// The program's: a new table, though one of nearly the same name has records.
    NewTable,
    /// Another program's.
    Unmanaged,
}

/// A former name of the struct.
#[derive(Debug)]
pub(crate) struct Former {
    pub(crate) name: String,
    pub(crate) table: String,
}

#[derive(Debug)]
pub(crate) struct View {
    /// The SQL for every database without a separate one below.
    pub(crate) sql: Option<TokenStream>,
    pub(crate) sqlite: Option<TokenStream>,
    pub(crate) postgres: Option<TokenStream>,
    pub(crate) mysql: Option<TokenStream>,
    /// Whether the database has the view already.
    pub(crate) existing: bool,
    /// The resources that the SQL reads.
    pub(crate) reads: Vec<Spanned<TokenStream>>,
}

/// A scope: the records that some principals see, or may change.
#[derive(Debug)]
pub(crate) struct Scope {
    /// Whether the scope restricts changes alone.
    pub(crate) is_write: bool,
    pub(crate) access: Access,
    pub(crate) except: Option<Access>,
    /// The field that is compared with the claim, or the first field of the path to another record.
    pub(crate) column: usize,
    pub(crate) path: Option<ScopePath>,
    pub(crate) claim: String,
    /// `within`: the field of a time, its span in the attribute, and how long after that time changes are allowed.
    pub(crate) within: Option<(usize, Span, Duration)>,
}

/// The path of relations to the record whose field a scope compares.
#[derive(Debug)]
pub(crate) struct ScopePath {
    /// The index of the path's first relation, where it is a `has_many`; `None` where the path begins with a reference.
    pub(crate) children: Option<usize>,
    /// The relations after the first.
    pub(crate) more: Vec<Ident>,
    pub(crate) field: Ident,
    /// The resource that the first relation leads to.
    pub(crate) target: TokenStream,
}

/// The fields of a membership, beside the tenant.
#[derive(Debug, Clone)]
pub(crate) struct Members {
    pub(crate) user: usize,
    pub(crate) role: Option<usize>,
    /// The role that a tenant's last member with that role cannot lose.
    pub(crate) keep: Option<String>,
}

/// Fields that are unique together.
#[derive(Debug)]
pub(crate) struct UniqueGroup {
    pub(crate) columns: Vec<usize>,
    pub(crate) among: Among,
    /// The columns whose text is compared without regard to letter case.
    pub(crate) case_insensitive: Vec<Spanned<usize>>,
}

/// `exclusive`: a span between two fields that must not overlap another record's.
#[derive(Debug)]
pub(crate) struct Exclusive {
    pub(crate) columns: Vec<usize>,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) inclusive: bool,
    /// The field of a state, with the variants in which records count.
    pub(crate) when: Option<(usize, Vec<Ident>)>,
}

/// A partial index: of the records that have a value in one of its fields.
#[derive(Debug)]
pub(crate) struct PartialIndex {
    pub(crate) columns: Vec<usize>,
    /// The index in `fields` of the field that must have a value.
    pub(crate) some: usize,
}

/// Full-text search.
#[derive(Debug)]
pub(crate) struct Search {
    pub(crate) columns: Vec<usize>,
    /// The language, unless it is the default.
    pub(crate) language: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Aggregate {
    pub(crate) group_by: Vec<usize>,
    pub(crate) over: Vec<usize>,
    pub(crate) max_groups: u32,
}

#[derive(Debug)]
pub(crate) struct SoftDelete {
    /// The index of the deletion timestamp in `fields`.
    pub(crate) deleted_at: usize,
    pub(crate) include_deleted_by_default: bool,
    pub(crate) auto_restore_on_update: bool,
    /// The JSON name of `is_deleted`, where no field declares it.
    pub(crate) undeclared_state: Option<String>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch {
    pub(crate) max_size: u32,
    pub(crate) partial: bool,
}

/// Presentation in pages for people.
#[derive(Debug)]
pub(crate) struct Presentation {
    pub(crate) title: Option<usize>,
    pub(crate) list: Vec<usize>,
    pub(crate) group: Option<String>,
    pub(crate) hidden: bool,
    pub(crate) read_only: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Idempotency {
    pub(crate) required: bool,
    pub(crate) ttl: Duration,
}

/// A field of a resource.
#[allow(clippy::struct_excessive_bools, reason = "each is an independent attribute")]
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    /// The doc comments, as attributes.
    pub(crate) docs: Vec<&'a Attribute>,
    pub(crate) doc: String,
    pub(crate) ty: FieldType<'a>,
    /// The field's name, without `r#`.
    pub(crate) name: String,
    /// The name in JSON.
    pub(crate) json: Spanned<String>,
    /// The name in storage.
    pub(crate) column: Spanned<String>,
    pub(crate) role: Role,
    /// The span of the role's attribute.
    pub(crate) role_span: Option<Span>,
    /// Whether clients set the key, whatever its type: part of a composite key, a reference, or `id(client)`.
    pub(crate) given: bool,
    pub(crate) filterable: Capability,
    pub(crate) sortable: Capability,
    pub(crate) exposure: Exposure,
    pub(crate) deprecated: bool,
    /// The value for records that exist when a migration adds the field.
    pub(crate) backfill: Option<Spanned<TokenStream>>,
    /// Former name of the column.
    pub(crate) renamed_from: Option<Spanned<String>>,
    pub(crate) unique: Option<Unique>,
    pub(crate) indexed: bool,
    pub(crate) default: Option<Spanned<TokenStream>>,
    /// The span of `default(database)`.
    pub(crate) database_default: Option<Span>,
    pub(crate) references: Option<Reference>,
    pub(crate) digits: Option<Spanned<Digits>>,
    /// The column's type, where it is not the field's.
    pub(crate) sql_type: Option<Spanned<String>>,
    /// The spelling of stored values, where it is not the database's own.
    pub(crate) format: Option<Format>,
    /// The validation rules, as written.
    pub(crate) rules: Vec<Spanned<Rule>>,
    /// Maximum length of unique text without a rule for its length.
    pub(crate) implied_max_length: Option<usize>,
    pub(crate) owner: Option<Owner>,
    pub(crate) tenant: Option<Tenant>,
    /// Whether a scope compares the field with a claim.
    pub(crate) in_scope: bool,
    pub(crate) visible: Option<Spanned<Access>>,
    /// The allowed changes of a state.
    pub(crate) transitions: Option<Transitions>,
    /// The computation of a field that is not stored.
    pub(crate) computed: Option<Computed>,
    /// The attribute that the field's type defines, such as `file(…)`.
    pub(crate) of_type: Option<TypeAttribute>,
}

impl Model<'_> {
    /// Whether records are only read.
    pub(crate) const fn is_read_only(&self) -> bool {
        self.view.is_some() || self.no_key
    }
}

impl Field<'_> {
    /// Whether the service or storage sets the field, and a client cannot.
    pub(crate) fn is_assigned(&self) -> bool {
        match self.role {
            Role::Plain => self.is_computed(),
            Role::Id => !self.given && self.ty.known != Some(Known::Text),
            Role::CreatedAt | Role::UpdatedAt | Role::DeletedAt | Role::IsDeleted => true,
        }
    }

    /// Whether statements that write leave the field out: the database sets it on every write, or it is not stored.
    pub(crate) fn is_computed(&self) -> bool {
        self.computed.is_some()
            || self.database_default.is_some() && (self.exposure.read_only.is_some() || self.exposure.hidden.is_some())
    }

    /// Whether a function computes the field when the record is written as JSON.
    pub(crate) fn is_of_function(&self) -> bool {
        self.computed.as_ref().is_some_and(|computed| computed.function().is_some())
    }

    /// Whether a create in the program's own code may leave the field out: it has a default, or is the tenant, which
    /// the store sets.
    pub(crate) fn is_defaulted(&self) -> bool {
        self.default.is_some() || self.database_default.is_some() || self.tenant.is_some()
    }

    /// The type in the descriptor. A key of an illegal type is an error already, which the compiler must not repeat.
    pub(crate) fn stored_type(&self) -> TokenStream {
        let is_wrong = self.role == Role::Id && !self.is_sound_key();
        if is_wrong { quote!(i64) } else { self.ty.written.to_token_stream() }
    }

    /// Whether the type can be a key, as far as its name tells, and it is known what sets the key.
    pub(crate) fn is_sound_key(&self) -> bool {
        self.ty.can_be_key() && (self.given || self.ty.known.is_some_and(Known::has_setter))
    }

    /// Whether an insert binds the field: all but keys that storage assigns, fields that the database computes, and the
    /// state of deletion.
    pub(crate) fn is_inserted(&self) -> bool {
        match self.role {
            Role::Plain => !self.is_computed(),
            Role::CreatedAt | Role::UpdatedAt => true,
            Role::Id if self.is_assigned() && self.database_default.is_some() => false,
            Role::Id => self.given || !self.ty.known.is_some_and(Known::is_assigned_by_storage),
            // A time is null in a new record, which a boolean cannot be.
            Role::DeletedAt => self.ty.known == Some(Known::Bool),
            Role::IsDeleted => false,
        }
    }

    /// The SQL type of a column whose values are cast to text for reading, and from text for writing.
    pub(crate) fn text_cast(&self) -> Option<&str> {
        let is_text = matches!(self.ty.known, None | Some(Known::Text | Known::TextList));
        self.sql_type.as_ref().filter(|_| is_text).map(|sql_type| &*sql_type.value)
    }
}

/// Role of a field: the source of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    Id,
    CreatedAt,
    UpdatedAt,
    /// The time of a soft delete, or the boolean that marks a deleted record.
    DeletedAt,
    /// `is_deleted`: whether the time of deletion is set. The field has no column.
    IsDeleted,
}

/// Filter or sort of lists by a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capability {
    No,
    Yes,
    /// Not named: `filter` alone applies to each field that can be compared.
    IfComparable,
}

/// A reference to another resource.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub(crate) struct Reference {
    pub(crate) target: Spanned<TokenStream>,
    /// Whether the targets are the users in the service's own table, rather than a resource.
    pub(crate) users: bool,
    /// Whether a principal may refer to records that it may not read.
    pub(crate) any: bool,
    /// Whether there is no foreign key.
    pub(crate) unconstrained: bool,
    /// Name of the referred record in requests, where requests can ask for the record or for its fields.
    pub(crate) relation: Option<Spanned<String>>,
    /// The name of the relation, where the attribute states one.
    pub(crate) named: Option<String>,
    /// The record's term in `FIELDS`, where there is one.
    pub(crate) term: Option<Ident>,
    /// Whether requests can ask for the record.
    pub(crate) expand: bool,
    pub(crate) on_delete: OnDelete,
    /// The span of `on_delete`.
    pub(crate) on_delete_span: Option<SpanRange>,
    /// The fields that together refer to a composite key; the one with the attribute is the last.
    pub(crate) by: Vec<usize>,
}

/// A field of the record that a field refers to, by which lists filter or sort.
#[derive(Debug)]
pub(crate) struct FieldPath {
    /// The index of the field that refers.
    pub(crate) reference: usize,
    /// The field of the referred record.
    pub(crate) field: Ident,
}

/// The field with the time zone of a record.
#[derive(Debug)]
pub(crate) enum ZonePath {
    /// A field of the record itself.
    Own(Ident),
    /// A field of the record that a field refers to.
    Referred(FieldPath),
    /// The time zone that the referred record's struct states: the index of the field that refers, and the relation's
    /// span.
    Via(usize, Span),
}

/// Records of another resource that refer to records of this resource.
#[derive(Debug)]
pub(crate) struct Children {
    /// Name of the list in requests.
    pub(crate) name: String,
    /// Name of the list in `FIELDS`, unless a field has that name.
    pub(crate) term: Option<Ident>,
    pub(crate) resource: Spanned<TokenStream>,
    /// The field of the other resource that refers.
    pub(crate) field: Ident,
    pub(crate) limit: u32,
    /// The order of the list: fields of the other resource, each with whether it descends.
    pub(crate) sort: Vec<(Ident, bool)>,
    /// Whether bodies of a record contain the list.
    pub(crate) nested: bool,
}

/// Records of another resource that a junction links to records of this resource.
#[derive(Debug)]
pub(crate) struct ManyToMany {
    /// Name of the records in requests.
    pub(crate) name: String,
    pub(crate) junction: Spanned<TokenStream>,
    /// The fields of the junction that refer to this record and to the other one.
    pub(crate) fields: Option<(Ident, Ident)>,
    pub(crate) limit: u32,
}

/// The spelling of stored values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Format {
    Pattern(String),
    Unix,
    UnixMillis,
    Lowercase,
    Uppercase,
    Simple,
    Bytes,
    Number,
}

/// The digits of a decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digits {
    /// The number of all digits.
    pub(crate) precision: u32,
    /// The number of digits after the point.
    pub(crate) scale: u32,
}

/// A key of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SortKey {
    pub(crate) column: usize,
    pub(crate) descending: bool,
}

/// The limits of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pagination {
    pub(crate) default_limit: u32,
    pub(crate) max_limit: u32,
    pub(crate) clamp: bool,
    pub(crate) count: Count,
    pub(crate) cursor: bool,
}

/// The operations that HTTP offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operations {
    All,
    Only(Vec<Operation>),
    Except(Vec<Operation>),
}

impl Operations {
    /// Whether one of the operations creates records.
    pub(crate) fn create(&self) -> bool {
        let is_create = |operation: &Operation| operation.name == "create";
        match self {
            Self::All => true,
            Self::Only(operations) => operations.iter().any(is_create),
            Self::Except(operations) => !operations.iter().any(is_create),
        }
    }
}

/// A requirement of a field's type that only the compiler can check.
#[derive(Debug)]
pub(crate) struct Assert {
    /// The index of the field.
    pub(crate) field: usize,
    pub(crate) requirement: Requirement,
    pub(crate) span: SpanRange,
    /// The message of the error.
    pub(crate) message: String,
}

/// Requirement of an attribute for a field's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// Required by `filter`, `sort` and `default_sort`.
    Comparable,
    /// Required by `aggregate(over(…))`.
    Ordered,
    /// Required by the ends of `exclusive`.
    Bound,
    /// Required by `id`.
    Key,
    /// Required by `range`.
    Number,
    /// Required by `length`.
    Length,
    /// Required by `pattern`, `email` and `url` of `validate`.
    Text,
    /// Required by `one_of` with texts.
    TextChoice,
    /// Required by `decimal`.
    Decimal,
    /// Required by `created_at` and `updated_at`.
    Timestamp,
    /// Required by `transitions`.
    Enum,
    /// Required by `transitions` as well: the enum has this number of states.
    States(usize),
}

/// An enum that is a field type.
pub(crate) struct EnumModel<'a> {
    /// The path of the runtime.
    pub(crate) krate: TokenStream,
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    /// Each variant and its text.
    pub(crate) variants: Vec<(&'a Ident, String)>,
    /// The labels of the variants, where at least one has a label; a variant without one has its text.
    pub(crate) labels: Option<Vec<String>>,
    /// Whether values have the order of their declaration.
    pub(crate) ordered: bool,
    /// The integers that the variants are stored as, where they are not stored as texts.
    pub(crate) codes: Option<Vec<i64>>,
    /// Whether `Display` and `FromStr` are implemented.
    pub(crate) display: bool,
    /// The variant that holds any other text, where the enum is open.
    pub(crate) other: Option<&'a Ident>,
}
