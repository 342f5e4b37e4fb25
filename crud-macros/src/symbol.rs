//! Every attribute key, once, with the form it is written in.

/// An attribute key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Symbol {
    /// The key.
    pub(crate) name: &'static str,
    /// How it is written, in backticks.
    pub(crate) form: &'static str,
}

macro_rules! symbols {
    ($($constant:ident: $name:literal, $form:literal;)+) => {
        $(pub(crate) const $constant: Symbol = Symbol { name: $name, form: $form };)+
    };
}

symbols! {
    // On the struct.
    PREFIX: "prefix", "`prefix = \"/products\"`";
    TABLE: "table", "`table = \"products\"`";
    TAGS: "tags", "`tags(\"Products\")`";
    DEFAULT_SORT: "default_sort", "`default_sort(-created_at, name)`";
    PAGINATION: "pagination", "`pagination` or `pagination(default_limit = 20, max_limit = 100)`";
    SOFT_DELETE: "soft_delete", "`soft_delete` or `soft_delete(deleted_at_field = removed_at)`";
    BATCH: "batch", "`batch` or `batch(max_size = 1000, mode = atomic)`";
    AUDIT: "audit", "`audit` or `audit(track_changes = true)`";
    ACCESS: "access", "`access(read = public, write = authenticated)`";
    ONLY: "only", "`only(list, get)`";
    EXCEPT: "except", "`except(delete)`";
    RENAME_ALL: "rename_all", "`rename_all = \"camelCase\"`";
    CRATE: "crate", "`crate = ::path::to::crud_runtime`";
    // On the struct and on a field.
    FILTER: "filter", "`filter` or `filter(name, price)`";
    SORT: "sort", "`sort` or `sort(name, price)`";
    UNIQUE: "unique", "`unique(a, b)`";
    INDEX: "index", "`index(a, b)`";
    // On a field.
    ID: "id", "`id`";
    FIELD_FILTER: "filter", "`filter`";
    FIELD_SORT: "sort", "`sort`";
    FIELD_UNIQUE: "unique", "`unique` or `unique(active)`";
    FIELD_INDEX: "index", "`index`";
    DEFAULT: "default", "`default = \"pending\"`";
    CREATED_AT: "created_at", "`created_at`";
    UPDATED_AT: "updated_at", "`updated_at`";
    REFERENCES: "references", "`references = Category`";
    ON_DELETE: "on_delete", "`on_delete = restrict`, `cascade` or `set_null`";
    OWNER: "owner", "`owner` or `owner(except = role(\"admin\"))`";
    VISIBLE: "visible", "`visible(role(\"admin\"))`";
    PRECISION: "precision", "`precision = 18`";
    SCALE: "scale", "`scale = 4`";
    READ_ONLY: "read_only", "`read_only`";
    WRITE_ONLY: "write_only", "`write_only`";
    HIDDEN: "hidden", "`hidden`";
    IMMUTABLE: "immutable", "`immutable`";
    MIN: "min", "`min = 0`";
    MAX: "max", "`max = 100`";
    MIN_LENGTH: "min_length", "`min_length = 1`";
    MAX_LENGTH: "max_length", "`max_length = 200`";
    PATTERN: "pattern", "`pattern = \"^[a-z]+$\"`";
    EMAIL: "email", "`email`";
    URL: "url", "`url`";
    ONE_OF: "one_of", "`one_of(\"small\", \"large\")`";
    CUSTOM: "custom", "`custom = path::to::function`";
    RENAME: "rename", "`rename = \"name\"`";
    COLUMN: "column", "`column = \"name\"`";
    // Inside `pagination`.
    DEFAULT_LIMIT: "default_limit", "`default_limit = 20`";
    MAX_LIMIT: "max_limit", "`max_limit = 100`";
    OVER_LIMIT: "over_limit", "`over_limit = reject` or `clamp`";
    // Inside `soft_delete`.
    DELETED_AT_FIELD: "deleted_at_field", "`deleted_at_field = removed_at`";
    INCLUDE_DELETED: "include_deleted_by_default", "`include_deleted_by_default`";
    AUTO_RESTORE: "auto_restore_on_update", "`auto_restore_on_update`";
    // Inside `batch`.
    MAX_SIZE: "max_size", "`max_size = 1000`";
    MODE: "mode", "`mode = atomic` or `partial`";
    // Inside `audit`.
    TRACK_CHANGES: "track_changes", "`track_changes = true`";
    TRACK_USER: "track_user", "`track_user = true`";
    TRACK_TIMESTAMP: "track_timestamp", "`track_timestamp = true`";
    // serde's, on a struct or an enum; the form says what to write instead.
    SERDE_DEFAULT_ALL: "default", "write `#[serde(default)]` on each field that has a default";
    SERDE_TAG: "tag", "remove it";
    SERDE_CONTENT: "content", "remove it";
    SERDE_UNTAGGED: "untagged", "remove it";
    SERDE_TRANSPARENT: "transparent", "remove it";
    SERDE_FROM: "from", "remove it";
    SERDE_TRY_FROM: "try_from", "remove it";
    SERDE_INTO: "into", "remove it";
    SERDE_REMOTE: "remote", "remove it";
    // serde's, on a field or a variant.
    SERDE_DEFAULT: "default", "write `default = …`";
    SERDE_SKIP: "skip", "write `#[crud(hidden)]`";
    SERDE_SKIP_SERIALIZING: "skip_serializing", "write `#[crud(write_only)]` beside it";
    SERDE_SKIP_DESERIALIZING: "skip_deserializing", "write `#[crud(read_only)]` beside it";
    SERDE_SKIP_IF: "skip_serializing_if", "a record carries each of its fields, so remove it";
    SERDE_FLATTEN: "flatten", "write the fields into this struct";
    SERDE_ALIAS: "alias", "a field has one name, so remove it or write `rename = \"…\"`";
    SERDE_WITH: "with", "implement `crud_runtime::Column` for a type of your own";
    SERDE_SERIALIZE_WITH: "serialize_with", "implement `crud_runtime::Column` for a type of your own";
    SERDE_DESERIALIZE_WITH: "deserialize_with", "implement `crud_runtime::Column` for a type of your own";
    SERDE_OTHER: "other", "remove it";
    SERDE_SKIP_VARIANT: "skip", "remove it";
    SERDE_SKIP_SERIALIZING_VARIANT: "skip_serializing", "remove it";
    SERDE_SKIP_DESERIALIZING_VARIANT: "skip_deserializing", "remove it";
    // Inside `index`.
    SOME: "some", "`some(customer_id)`";
    // Inside `owner`.
    OWNER_EXCEPT: "except", "`except = role(\"admin\")`";
}

/// What `#[crud(…)]` on a struct takes.
pub(crate) const CONTAINER: &[Symbol] = &[
    PREFIX,
    TABLE,
    TAGS,
    FILTER,
    SORT,
    DEFAULT_SORT,
    PAGINATION,
    SOFT_DELETE,
    BATCH,
    AUDIT,
    ACCESS,
    ONLY,
    EXCEPT,
    UNIQUE,
    INDEX,
    RENAME_ALL,
    CRATE,
];

/// What `#[crud(…)]` on a field takes.
pub(crate) const FIELD: &[Symbol] = &[
    ID,
    FIELD_FILTER,
    FIELD_SORT,
    FIELD_UNIQUE,
    FIELD_INDEX,
    DEFAULT,
    CREATED_AT,
    UPDATED_AT,
    REFERENCES,
    ON_DELETE,
    OWNER,
    VISIBLE,
    PRECISION,
    SCALE,
    READ_ONLY,
    WRITE_ONLY,
    HIDDEN,
    IMMUTABLE,
    MIN,
    MAX,
    MIN_LENGTH,
    MAX_LENGTH,
    PATTERN,
    EMAIL,
    URL,
    ONE_OF,
    CUSTOM,
    RENAME,
    COLUMN,
];

/// What `#[crud(…)]` on an enum takes.
pub(crate) const ENUM: &[Symbol] = &[RENAME_ALL, CRATE];

/// What `#[crud(…)]` on a variant takes.
pub(crate) const VARIANT: &[Symbol] = &[RENAME];

/// What of `#[serde(…)]` on a struct changes its JSON.
pub(crate) const SERDE_CONTAINER: &[Symbol] = &[
    RENAME_ALL,
    SERDE_DEFAULT_ALL,
    SERDE_TAG,
    SERDE_TRANSPARENT,
    SERDE_FROM,
    SERDE_TRY_FROM,
    SERDE_INTO,
    SERDE_REMOTE,
];

/// What of `#[serde(…)]` on an enum of unit variants changes its JSON.
pub(crate) const SERDE_ENUM: &[Symbol] =
    &[RENAME_ALL, SERDE_TAG, SERDE_CONTENT, SERDE_UNTAGGED, SERDE_FROM, SERDE_TRY_FROM, SERDE_INTO, SERDE_REMOTE];

/// What of `#[serde(…)]` on a field changes its JSON.
pub(crate) const SERDE_FIELD: &[Symbol] = &[
    RENAME,
    SERDE_DEFAULT,
    SERDE_SKIP,
    SERDE_SKIP_SERIALIZING,
    SERDE_SKIP_DESERIALIZING,
    SERDE_SKIP_IF,
    SERDE_FLATTEN,
    SERDE_ALIAS,
    SERDE_WITH,
    SERDE_SERIALIZE_WITH,
    SERDE_DESERIALIZE_WITH,
];

/// What of `#[serde(…)]` on a unit variant changes its JSON.
pub(crate) const SERDE_VARIANT: &[Symbol] = &[
    RENAME,
    SERDE_SKIP_VARIANT,
    SERDE_SKIP_SERIALIZING_VARIANT,
    SERDE_SKIP_DESERIALIZING_VARIANT,
    SERDE_ALIAS,
    SERDE_OTHER,
    SERDE_UNTAGGED,
    SERDE_SERIALIZE_WITH,
    SERDE_DESERIALIZE_WITH,
    SERDE_WITH,
];

/// What `pagination(…)` takes.
pub(crate) const IN_PAGINATION: &[Symbol] = &[DEFAULT_LIMIT, MAX_LIMIT, OVER_LIMIT];

/// What `soft_delete(…)` takes.
pub(crate) const IN_SOFT_DELETE: &[Symbol] = &[DELETED_AT_FIELD, INCLUDE_DELETED, AUTO_RESTORE];

/// What `batch(…)` takes.
pub(crate) const IN_BATCH: &[Symbol] = &[MAX_SIZE, MODE];

/// What `audit(…)` takes.
pub(crate) const IN_AUDIT: &[Symbol] = &[TRACK_CHANGES, TRACK_USER, TRACK_TIMESTAMP];

/// What `index(…)` takes besides fields.
pub(crate) const IN_INDEX: &[Symbol] = &[SOME];

/// What `owner(…)` takes.
pub(crate) const IN_OWNER: &[Symbol] = &[OWNER_EXCEPT];

/// What `access(…)` takes: operations and groups of them.
pub(crate) const ACCESS_OPERATIONS: &[&str] =
    &["list", "get", "create", "update", "delete", "restore", "purge", "batch", "history", "read", "write", "all"];

/// What `only(…)` and `except(…)` take.
pub(crate) const OPERATIONS: &[&str] =
    &["list", "get", "create", "update", "delete", "restore", "purge", "batch", "history"];
