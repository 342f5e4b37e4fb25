//! The words of a list request. The derive refuses a filter that one of them would hide; the runtime reads them.

/// The parameters of a list request that are not filters.
pub const PARAMETERS: &[&str] =
    &["sort", "skip", "limit", "include_deleted", "only_deleted", "all", "where", "expand", "cursor"];

/// The members of a condition in JSON that are not filters.
pub const CONNECTIVES: &[&str] = &["and", "or", "not"];

/// The operators of a filter: what follows a field's name and `__`, as in `price__gte=10`.
pub const OPERATORS: &[&str] = &[
    "eq",
    "ne",
    "gt",
    "gte",
    "lt",
    "lte",
    "in",
    "nin",
    "like",
    "ilike",
    "contains",
    "icontains",
    "startswith",
    "isnull",
    "on",
];
