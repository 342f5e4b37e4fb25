//! The validated resource: what the expansion is written from.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Visibility};

use crate::attr::At;
use crate::attr::access::Access;
use crate::attr::container::AccessList;
use crate::attr::field::{OnDelete, Owner, Rule};
use crate::ctxt::SpanRange;
use crate::ty::FieldType;

/// A resource.
pub(crate) struct Model<'a> {
    /// The path of the runtime.
    pub(crate) krate: TokenStream,
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    /// The struct's name, without `r#`.
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) prefix: String,
    pub(crate) table: String,
    pub(crate) tags: Vec<String>,
    pub(crate) fields: Vec<Field<'a>>,
    /// The index of the key in `fields`.
    pub(crate) id: usize,
    pub(crate) default_sort: Vec<SortKey>,
    pub(crate) pagination: Option<Pagination>,
    pub(crate) operations: Operations,
    pub(crate) uniques: Vec<Vec<usize>>,
    pub(crate) indexes: Vec<Vec<usize>>,
    pub(crate) partial_indexes: Vec<PartialIndex>,
    pub(crate) soft_delete: Option<SoftDelete>,
    pub(crate) batch: Option<Batch>,
    pub(crate) audit: Option<Audit>,
    pub(crate) access: Option<AccessList>,
    pub(crate) asserts: Vec<Assert>,
}

/// An index of the records that have a value in one of its fields.
#[derive(Debug)]
pub(crate) struct PartialIndex {
    pub(crate) columns: Vec<usize>,
    /// The index of that field in `fields`.
    pub(crate) some: usize,
}

/// Soft delete.
#[derive(Debug)]
pub(crate) struct SoftDelete {
    /// The index of the deletion timestamp in `fields`.
    pub(crate) deleted_at: usize,
    pub(crate) include_deleted_by_default: bool,
    pub(crate) auto_restore_on_update: bool,
    /// The JSON name of `is_deleted`, where no field declares it.
    pub(crate) undeclared_state: Option<String>,
}

/// Batches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch {
    pub(crate) max_size: u32,
    pub(crate) partial: bool,
}

/// The audit log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Audit {
    pub(crate) track_changes: bool,
    pub(crate) track_user: bool,
    pub(crate) track_timestamp: bool,
}

/// A field of a resource.
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
    pub(crate) json: At<String>,
    /// The name in storage.
    pub(crate) column: At<String>,
    pub(crate) role: Role,
    /// Where the attribute of the role stands.
    pub(crate) role_span: Option<Span>,
    pub(crate) filterable: Capability,
    pub(crate) sortable: Capability,
    /// Where the field itself says `filter`.
    pub(crate) filter_flag: Option<Span>,
    /// Where the field itself says `sort`.
    pub(crate) sort_flag: Option<Span>,
    pub(crate) read_only: Option<Span>,
    pub(crate) write_only: Option<Span>,
    pub(crate) hidden: Option<Span>,
    pub(crate) immutable: Option<Span>,
    pub(crate) unique: bool,
    pub(crate) unique_active: Option<SpanRange>,
    pub(crate) indexed: bool,
    pub(crate) default: Option<At<TokenStream>>,
    pub(crate) references: Option<Reference>,
    /// The digits of a decimal in all, and after the point.
    pub(crate) digits: Option<(u32, u32)>,
    pub(crate) digits_span: Option<SpanRange>,
    pub(crate) rules: Vec<At<Rule>>,
    pub(crate) owner: Option<Owner>,
    pub(crate) visible: Option<At<Access>>,
}

impl Field<'_> {
    /// Whether the service or storage sets the field, so that nobody else can.
    pub(crate) fn is_assigned(&self) -> bool {
        match self.role {
            Role::Plain => false,
            Role::Id => self.ty.key().is_none_or(|key| key != crate::ty::Known::Text),
            Role::CreatedAt | Role::UpdatedAt | Role::DeletedAt | Role::IsDeleted => true,
        }
    }

    /// The type as the descriptor has it. A key whose type cannot be one is an error already: the compiler
    /// is not to repeat it.
    pub(crate) fn stored_type(&self) -> TokenStream {
        if self.role == Role::Id && self.ty.key().is_none() { quote!(i64) } else { self.ty.written.to_token_stream() }
    }

    /// Whether an insert binds it: everything but a key that storage counts up, and the state of deletion.
    pub(crate) fn is_inserted(&self) -> bool {
        match self.role {
            Role::Plain | Role::CreatedAt | Role::UpdatedAt => true,
            Role::Id => !self.ty.key().is_some_and(crate::ty::Known::is_assigned_by_storage),
            Role::DeletedAt | Role::IsDeleted => false,
        }
    }

    /// Whether a client never sees it.
    pub(crate) const fn concealed(&self) -> Option<(Span, &'static str)> {
        match (self.hidden, self.write_only) {
            (Some(span), _) => Some((span, "hidden")),
            (None, Some(span)) => Some((span, "write_only")),
            (None, None) => None,
        }
    }
}

/// Who sets a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    Id,
    CreatedAt,
    UpdatedAt,
    /// The time of a soft delete.
    DeletedAt,
    /// Whether there is such a time; not stored itself.
    IsDeleted,
}

/// Whether a list can filter or sort by a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capability {
    No,
    Yes,
    /// Named by no one: `filter` alone takes what can be compared.
    IfComparable,
}

/// A reference to another resource.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) target: At<TokenStream>,
    pub(crate) on_delete: OnDelete,
    /// Where `on_delete` stands.
    pub(crate) on_delete_span: Option<SpanRange>,
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
}

/// The operations that HTTP offers, by the names of their variants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operations {
    All,
    Only(Vec<&'static str>),
    Except(Vec<&'static str>),
}

/// What only the compiler knows of a field's type, and where to complain.
#[derive(Debug)]
pub(crate) struct Assert {
    pub(crate) field: usize,
    pub(crate) wanted: Wanted,
    pub(crate) span: SpanRange,
    /// What to say.
    pub(crate) message: String,
}

/// What a field's type must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// What `filter`, `sort` and `default_sort` take.
    Comparable,
    /// What `min` and `max` take.
    Number,
    /// What `min_length` and `max_length` take.
    Length,
    /// What `pattern`, `email` and `url` take.
    Text,
    /// What `one_of` takes when it lists texts.
    TextChoice,
    /// What `precision` and `scale` take.
    Decimal,
    /// What `created_at` and `updated_at` take.
    Timestamp,
}

/// An enum that is a field type.
pub(crate) struct EnumModel<'a> {
    /// The path of the runtime.
    pub(crate) krate: TokenStream,
    pub(crate) ident: &'a Ident,
    /// Each variant and its text.
    pub(crate) variants: Vec<(&'a Ident, String)>,
}
