//! [`ColumnDescriptor`]: a field of a resource.

use std::any::Any;

use chrono::{DateTime, Utc};
use crud_shared::dialect::unbounded;

use super::{Computed, Descriptor, OnDelete, Reference, Role, Rule, StoredFormat, Transition, Uniqueness};
use crate::model::access::Access;
use crate::model::column::{Check, Column, ColumnType, Keywords, Returned};
use crate::model::setters::setters;
use crate::model::value::{Kind, Value, is_same};

/// A field of a resource.
#[allow(clippy::struct_excessive_bools)] // Each is an independent attribute.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ColumnDescriptor {
    /// The field's name in the struct.
    pub name: &'static str,
    /// The field's name in JSON.
    pub json: &'static str,
    /// The field's name in JSON as a quoted and escaped key with the colon, such as `"price":`.
    pub key: &'static str,
    /// The column's name in storage.
    pub column: &'static str,
    /// The field's doc comment.
    pub doc: &'static str,
    /// Kind of value that the column holds.
    pub kind: Kind,
    /// Whether the field can be null.
    pub nullable: bool,
    /// The type's own check of a value, beyond the kind's.
    pub check: Option<Check>,
    /// Whether the field is an enum whose values have the order of their declaration.
    pub declared_order: bool,
    /// The labels of an enum's values for people; empty where the texts serve as labels.
    pub labels: &'static [&'static str],
    /// The integers that the values of an enum are stored as, in the order of its values; none where they are stored as text.
    pub codes: &'static [i64],
    /// The JSON Schema of returned values, as text, where the type states one.
    pub schema: Option<&'static str>,
    /// The schema keywords of the field, beside those of its type.
    #[doc(hidden)]
    pub keywords: Option<Keywords>,
    /// The form of values in answers, where it is not the stored one.
    pub returned: Option<Returned>,
    /// The name of the attribute that the field's type has: code finds the fields of a type by this name.
    pub attribute: Option<&'static str>,
    /// The name of the plugin that serves fields of this type.
    pub plugin: Option<&'static str>,
    /// The options of the type's attribute, where the field has the attribute.
    #[doc(hidden)]
    pub options: Option<&'static (dyn Any + Send + Sync)>,
    /// The field's role: which side sets it.
    pub role: Role,
    /// Whether the client sets this key, whatever its kind: a part of a composite key.
    pub given: bool,
    /// Whether a filter can name the field.
    pub filterable: bool,
    /// Whether `sort` can name the field.
    pub sortable: bool,
    /// Ignored in bodies.
    pub read_only: bool,
    /// Never returned.
    pub write_only: bool,
    /// Neither accepted nor returned.
    pub hidden: bool,
    /// Accepted on create only.
    pub immutable: bool,
    /// Whether clients should stop using the field.
    pub deprecated: bool,
    /// Whether the principal of a create determines the value: the owner, the tenant, the field of a claim. A body may
    /// leave it out.
    pub from_principal: bool,
    /// The rule for seeing the field over HTTP; without one, the field is visible wherever the record is.
    pub visible: Option<Access>,
    /// The records among which storage keeps values unique; `None` where values may repeat.
    pub unique: Option<Uniqueness>,
    /// Whether unique texts conflict that differ only in letter case.
    pub case_insensitive: bool,
    /// Whether storage indexes the column, even if it can be neither filtered nor sorted by.
    pub indexed: bool,
    /// The stored default.
    pub default: Option<fn() -> Value>,
    /// Whether the database fills in the value that an insert leaves out: by a default, a trigger or a computation.
    pub database_default: bool,
    /// The value for existing records when a migration adds the column, or makes it required.
    pub backfill: Option<fn() -> Value>,
    /// The name that the column had: a migration renames it.
    pub renamed_from: Option<&'static str>,
    /// The reference to another resource.
    pub references: Option<Reference>,
    /// Number of digits of a decimal, at most 28.
    pub precision: u32,
    /// Number of digits of a decimal after the point.
    pub scale: u32,
    /// Type of the column in PostgreSQL, MySQL and MariaDB, where it is not the kind's. A text or an enum is cast
    /// between this type and text when it is read and written; for another kind, this is a domain of the kind's type.
    pub sql_type: Option<&'static str>,
    /// Spelling of stored values, where it is not the database's own.
    pub format: Option<StoredFormat>,
    /// The validation rules.
    pub rules: &'static [Rule],
    /// Legal changes of the value, where the value is a state.
    pub transitions: &'static [Transition],
    /// The states that the program may give a new record in place of the default.
    pub initial: &'static [fn() -> Value],
    /// Computation of the value, where the record does not store it.
    pub computed: Option<Computed>,
}

impl ColumnType {
    /// A plain field of the type, with one name everywhere; called by expansions. It is not generic, so that the
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
            declared_order: self.declared_order,
            labels: self.labels,
            codes: self.codes,
            schema: self.schema,
            keywords: self.keywords,
            returned: self.returned,
            attribute: self.attribute,
            plugin: self.plugin,
            options: None,
            role: Role::Plain,
            given: false,
            filterable: false,
            sortable: false,
            read_only: self.read_only,
            write_only: false,
            hidden: false,
            immutable: false,
            deprecated: false,
            from_principal: false,
            visible: None,
            unique: None,
            case_insensitive: false,
            indexed: false,
            default: None,
            database_default: false,
            backfill: None,
            renamed_from: None,
            references: None,
            precision: 18,
            scale: 4,
            sql_type: None,
            format: None,
            rules: &[],
            transitions: &[],
            initial: &[],
            computed: None,
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

    setters! {
        /// Sets the name in JSON.
        #[doc(hidden)]
        json(&'static str);
        /// Sets the name in storage.
        #[doc(hidden)]
        column(&'static str);
        /// Sets the doc comment.
        doc(&'static str);
        /// Sets the options of the type's attribute.
        #[doc(hidden)]
        options(Some(&'static (dyn Any + Send + Sync)));
        /// Sets the role.
        role(Role);
        /// Lets the client set this key, whatever its kind.
        given(true);
        /// Lets filters name the field.
        filterable(true);
        /// Lets `sort` name the field.
        sortable(true);
        /// Makes HTTP ignore the field in bodies.
        read_only(true);
        /// Makes HTTP never return the field.
        write_only(true);
        /// Hides the field from HTTP.
        hidden(true);
        /// Makes HTTP accept the field on create only.
        immutable(true);
        /// Marks the field as deprecated in the OpenAPI document.
        deprecated(true);
        /// Lets the principal of a create determine the value.
        from_principal(true);
        /// Hides the field from requests that the rule does not admit.
        visible(Some(Access));
        /// Makes storage keep values unique.
        unique(Some(Uniqueness));
        /// Makes unique texts conflict that differ only in letter case.
        case_insensitive(true);
        /// Makes storage index the column.
        indexed(true);
        /// Sets the stored default.
        default(Some(fn() -> Value));
        /// Lets the database fill in the value that an insert leaves out.
        database_default(true);
        /// Sets the value for existing records when a migration adds the column.
        backfill(Some(fn() -> Value));
        /// Sets the name that the column had.
        renamed_from(Some(&'static str));
        /// Sets the type of the column.
        sql_type(Some(&'static str));
        /// Sets the spelling of stored values.
        format(Some(StoredFormat));
        /// Sets the rules.
        rules(&'static [Rule]);
        /// Limits changes of the value to these transitions; the default is the initial state.
        transitions(&'static [Transition]);
        /// Sets the states that the program may give a new record in place of the default.
        initial(&'static [fn() -> Value]);
    }

    /// The options of the attribute that the field's type brings, as in `#[crud(file(max = "10MB"))]`; `None` where the
    /// field has no such attribute, or its options are not an `O`. `O` is
    /// [`ColumnAttribute::Options`](crate::ColumnAttribute::Options).
    pub fn attribute_options<O: 'static>(&self) -> Option<&'static O> {
        self.options?.downcast_ref()
    }

    /// The schema keywords of the field, by the options of its type's attribute: `"x-crud-file": {"max": 10000000}`.
    /// Mostly empty.
    pub fn schema_keywords(&self) -> serde_json::Map<String, serde_json::Value> {
        self.keywords.zip(self.options).map(|(keywords, options)| keywords(options)).unwrap_or_default()
    }

    /// The default, where it is constant, so that the table's column can have it; the current time or a new UUID is
    /// not.
    #[doc(hidden)]
    pub fn constant_default(&self) -> Option<Value> {
        if matches!(self.kind, Kind::DateTime | Kind::Date | Kind::Time | Kind::NaiveDateTime | Kind::Uuid) {
            return None;
        }
        let default = self.default?;
        let value = default();
        (value == default() && !value.is_null()).then_some(value)
    }

    /// The computed field `is_deleted`, where the struct does not declare it.
    pub const fn is_deleted(json: &'static str, key: &'static str) -> Self {
        bool::TYPE.column("is_deleted", key).json(json).doc("Whether the record is deleted.").role(Role::IsDeleted)
    }

    /// Lets filters name the field when its kind can be compared.
    #[must_use]
    pub const fn filterable_if_comparable(self) -> Self {
        Self { filterable: self.kind.is_comparable(), ..self }
    }

    /// Lets `sort` name the field when its kind can be compared.
    #[must_use]
    pub const fn sortable_if_comparable(self) -> Self {
        Self { sortable: self.kind.is_comparable(), ..self }
    }

    /// Makes the field refer to another resource.
    #[must_use]
    pub const fn references(mut self, target: fn() -> &'static Descriptor, on_delete: OnDelete) -> Self {
        self.references = Some(Reference {
            target,
            on_delete,
            any: false,
            unconstrained: false,
            relation: None,
            named: None,
            expand: false,
            by: &[],
        });
        self
    }

    /// Makes these columns together refer to a composite key, in the key's order.
    #[must_use]
    pub const fn by(mut self, columns: &'static [usize]) -> Self {
        if let Some(reference) = &mut self.references {
            reference.by = columns;
        }
        self
    }

    /// Leaves out the foreign key of the reference.
    #[must_use]
    pub const fn unconstrained(mut self) -> Self {
        if let Some(reference) = &mut self.references {
            reference.unconstrained = true;
        }
        self
    }

    /// The reference, where storage has a foreign key for it.
    #[doc(hidden)]
    pub fn constraint(&self) -> Option<Reference> {
        self.references.filter(|reference| !reference.unconstrained)
    }

    /// Lets a principal refer to records that it may not read.
    #[must_use]
    pub const fn references_any(mut self) -> Self {
        if let Some(reference) = &mut self.references {
            reference.any = true;
        }
        self
    }

    /// Names the relation for scopes whose path leads over it, whether requests use it or not.
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Self {
        if let Some(reference) = &mut self.references {
            reference.named = Some(name);
        }
        self
    }

    /// Names the record that is referred to, for requests that use its fields.
    #[must_use]
    pub const fn relation(mut self, name: &'static str) -> Self {
        if let Some(reference) = &mut self.references {
            reference.relation = Some(name);
        }
        self
    }

    /// Lets requests ask for the record that is referred to, by this name.
    #[must_use]
    pub const fn expandable(mut self, name: &'static str) -> Self {
        if let Some(reference) = &mut self.references {
            reference.relation = Some(name);
            reference.expand = true;
        }
        self
    }

    /// Bounds a decimal's digits.
    #[must_use]
    pub const fn digits(self, precision: u32, scale: u32) -> Self {
        Self { precision, scale, ..self }
    }

    /// The SQL type that text is cast to and from, without its bounds.
    #[doc(hidden)]
    pub const fn text_cast(&self) -> Option<&'static str> {
        match (self.kind, self.sql_type) {
            (Kind::Text | Kind::Enum(_) | Kind::TextList, Some(sql_type)) => Some(unbounded(sql_type)),
            _ => None,
        }
    }

    /// The time of a change as a value of the column's kind; for a kind without a zone, in UTC.
    pub fn time(&self, time: DateTime<Utc>) -> Value {
        match self.kind {
            Kind::NaiveDateTime => Value::NaiveDateTime(time.naive_utc()),
            _ => Value::DateTime(time),
        }
    }

    /// Makes the field computed instead of stored. A field that a function computes is null in rows, whatever its type.
    #[must_use]
    pub const fn computed(mut self, computed: Computed) -> Self {
        self.computed = Some(computed.nullable(self.nullable));
        self.nullable |= computed.is_function();
        self
    }

    /// Whether the table has a column for the field: computed fields and the state of deletion have none.
    pub const fn is_stored(&self) -> bool {
        self.computed.is_none() && !matches!(self.role, Role::IsDeleted)
    }

    /// Whether a function of the program computes the field when it is returned.
    pub const fn is_of_function(&self) -> bool {
        matches!(self.computed, Some(computed) if computed.is_function())
    }

    /// Whether answers can have null: for a field that a function computes, its type tells.
    #[doc(hidden)]
    pub const fn is_returned_nullable(&self) -> bool {
        match self.computed {
            Some(Computed { nullable, .. }) => nullable,
            None => self.nullable,
        }
    }

    /// Whether the field is the time of a soft delete, and not a boolean.
    #[doc(hidden)]
    pub const fn is_deletion_time(&self) -> bool {
        matches!(self.role, Role::DeletedAt) && !matches!(self.kind, Kind::Bool)
    }

    /// The value of soft delete's column in a record that was deleted at this time, or is active.
    pub fn deletion(&self, deleted_at: Option<DateTime<Utc>>) -> Value {
        match (self.kind, deleted_at) {
            (Kind::Bool, deleted_at) => Value::Bool(deleted_at.is_some()),
            (_, Some(time)) => self.time(time),
            (_, None) => Value::Null,
        }
    }

    /// Whether the value is a text that no variant of the column's enum has: a newer or another program has written it.
    #[doc(hidden)]
    pub fn is_unknown(&self, value: &Value) -> bool {
        match (self.kind, value) {
            (Kind::Enum(texts), Value::Text(text)) => !texts.contains(&text.as_str()),
            _ => false,
        }
    }

    /// The texts of an enum in declaration order, where values sort by it and not as they are stored.
    pub const fn ranked(&self) -> Option<&'static [&'static str]> {
        match self.kind {
            Kind::Enum(texts) if self.declared_order && self.codes.is_empty() => Some(texts),
            _ => None,
        }
    }

    /// The position of a value in its enum's declaration order; a text that no variant has comes last.
    #[doc(hidden)]
    pub fn rank(&self, value: &Value) -> Option<usize> {
        match (self.ranked()?, value) {
            (texts, Value::Text(text)) => Some(texts.iter().position(|known| known == text).unwrap_or(texts.len())),
            _ => None,
        }
    }

    /// Whether the field is an enum that is stored as integers.
    pub const fn is_coded(&self) -> bool {
        !self.codes.is_empty()
    }

    /// The column as storage has it: an enum that is stored as integers becomes a column of integers.
    #[must_use]
    pub const fn as_stored(&self) -> Self {
        if self.is_coded() { Self { kind: Kind::I32, codes: &[], ..*self } } else { *self }
    }

    /// The integer that a text of an enum is stored as: `Some(None)` for a text that no variant has, `None` for other
    /// columns and values.
    pub fn code(&self, value: &Value) -> Option<Option<i64>> {
        match (self.kind, value) {
            (Kind::Enum(texts), Value::Text(text)) if self.is_coded() => {
                let position = texts.iter().position(|known| known == text);
                Some(position.and_then(|position| self.codes.get(position).copied()))
            }
            _ => None,
        }
    }

    /// The text of an enum that is stored as this integer.
    pub fn variant(&self, code: i64) -> Option<&'static str> {
        let position = self.codes.iter().position(|known| *known == code)?;
        match self.kind {
            Kind::Enum(texts) => texts.get(position).copied(),
            _ => None,
        }
    }

    /// Whether `gt`, `gte`, `lt` and `lte` apply.
    pub const fn is_ordered(&self) -> bool {
        self.kind.is_ordered() || self.declared_order
    }

    /// Whether HTTP answers contain the field.
    pub const fn is_returned(&self) -> bool {
        !self.hidden && !self.write_only
    }

    /// Whether the service's limit of texts applies: no rule of the field bounds the text or lifts the limit.
    pub fn has_text_limit(&self) -> bool {
        let bounds = |rule: &Rule| matches!(rule, Rule::MaxLength(_) | Rule::AnyLength | Rule::OneOf(_));
        self.kind == Kind::Text && !self.rules.iter().any(bounds)
    }

    /// Whether the service sets the value: a value in a body is ignored.
    pub const fn is_managed(&self) -> bool {
        self.read_only || self.is_assigned()
    }

    /// Whether writing statements leave the column out: the database sets it on every write, or it is not stored.
    pub const fn is_computed(&self) -> bool {
        self.computed.is_some() || self.database_default && (self.read_only || self.hidden)
    }

    /// Whether neither a body nor `Store` sets the value: an assigned key, a timestamp, a value that the database
    /// computes.
    pub const fn is_assigned(&self) -> bool {
        match self.role {
            Role::Plain => self.is_computed(),
            Role::Id => !self.given && !matches!(self.kind, Kind::Text),
            Role::CreatedAt | Role::UpdatedAt | Role::DeletedAt | Role::IsDeleted => true,
        }
    }

    /// Whether a create must have the field: it has no default, cannot be null, and neither the service nor the
    /// principal sets it.
    pub const fn is_required(&self) -> bool {
        !self.is_managed() && !self.from_principal && self.needs_value()
    }

    /// Whether a record cannot lack a value: the field has no default and cannot be null.
    #[doc(hidden)]
    pub const fn needs_value(&self) -> bool {
        !self.nullable && self.default.is_none() && !self.database_default && self.computed.is_none()
    }

    /// The transition from one state to another, if there is one.
    #[doc(hidden)]
    pub fn transition(&self, from: &Value, to: &Value) -> Option<&'static Transition> {
        self.transitions.iter().find(|transition| transition.leaves(from) && transition.leads_to(to))
    }

    /// The state of a new record, where the value is a state: the only one that a client may send.
    #[doc(hidden)]
    pub fn initial_state(&self) -> Option<Value> {
        self.default.filter(|_| !self.transitions.is_empty()).map(|default| default())
    }

    /// The states that the program may give a new record, where the value is a state: the default comes first.
    #[doc(hidden)]
    pub fn initial_states(&self) -> Vec<Value> {
        let mut states: Vec<Value> = self.initial_state().into_iter().collect();
        for state in self.initial.iter().map(|state| state()).filter(|_| !self.transitions.is_empty()) {
            if !states.iter().any(|other| is_same(other, &state)) {
                states.push(state);
            }
        }
        states
    }
}
