//! [`Parser`]: reads every parameter of a query string, and collects every error.

use std::borrow::Cow;

use super::json::Json;
use super::operator::Operator;
use super::subject::Subject;
use crate::http::description::operation_doc::ParameterObject;
use crate::http::param::query_string::pairs;
use crate::model::descriptor::{Descriptor, Pagination, SortKey};
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::scalar;
use crate::model::value::Value;
use crate::query::expansion::{Expansion, Expansions};
use crate::query::visibility::{FieldVisibility, Visibility};
use crate::query::{JoinedColumn, ListQuery, Predicate, QueryLimits, Scope, total_order};
use crate::store::mounted::options::ResourceOptions;

/// The name of the parameter `expand`, which requests for one record have too.
pub(crate) const EXPAND: &str = "expand";

/// A parsed request for a list.
#[derive(Debug, Clone)]
pub(crate) struct ListRequest {
    pub(crate) query: ListQuery,
    pub(crate) scope: Scope,
    /// The related records to return with each.
    pub(crate) expand: Vec<Expansion>,
    /// The cursor that the list continues from.
    pub(crate) cursor: Option<String>,
    /// The parameters that select the list's records, sorted.
    pub(crate) filters: String,
    /// The texts that the filters compare enums with, and that no variant has.
    pub(crate) unknown: Vec<UnknownText>,
}

impl ListRequest {
    /// The list request, where no filter is by an unknown text.
    ///
    /// # Errors
    /// `validation_failed`.
    pub(crate) fn known(self) -> Result<Self, Problem> {
        if self.unknown.is_empty() {
            return Ok(self);
        }
        Err(Problem::validation(self.unknown.into_iter().map(|unknown| unknown.error)))
    }
}

/// A text that a filter compares an enum with, although no variant has it. It is legal where a record has it, written
/// by a newer program.
#[derive(Debug, Clone)]
pub(crate) struct UnknownText {
    pub(crate) column: usize,
    pub(crate) value: Value,
    /// The error where no record has the text.
    pub(crate) error: FieldError,
}

/// A group of parameters that are not filters. Each kind of request takes certain groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// Conditions on the records: `q`, `where`, and the filters.
    Condition,
    /// Choice of active and deleted records: `include_deleted`, `only_deleted`.
    Deleted,
    /// `sort`
    Order,
    /// `skip`, `limit`
    Page,
    /// `cursor`
    Cursor,
    /// `expand`
    Expand,
    /// `all`, of requests that change the deleted records that satisfy the conditions.
    All,
}

impl Group {
    /// Whether the group's parameters decide which records a list has: cursors are bound to them.
    const fn selects(self) -> bool {
        matches!(self, Self::Condition | Self::Deleted | Self::All)
    }
}

/// A parameter that is not a filter, and the member of the same name in the body of a search.
pub(super) struct Control {
    pub(super) name: &'static str,
    pub(super) group: Group,
    /// Whether requests for this resource by this principal have the parameter.
    pub(super) is_of: fn(&Parser<'_>) -> bool,
    /// Reads the parameter's value; for `sort`, the values of all its occurrences.
    pub(super) read: fn(&mut Parser<'_>, &[&str]),
    /// Reads the member of a search.
    pub(super) read_member: fn(&mut Parser<'_>, &Json),
    /// The parameter in the document; conditions have the schema of this name.
    pub(super) document: fn(&ResourceOptions, &[Group], &str) -> Option<ParameterObject>,
}

/// The value of a parameter that is given once.
pub(super) fn only<'v>(values: &[&'v str]) -> &'v str {
    values.first().copied().unwrap_or_default()
}

/// The resource, the principal's view of it and the limits that parameters are read against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListContext<'a> {
    pub(crate) resource: &'static Descriptor,
    /// Page sizes; without them, the list has no pages.
    pub(crate) pagination: Option<Pagination>,
    pub(crate) view: &'a FieldVisibility,
    /// Visibility of the resources that this one refers to.
    pub(crate) visibility: Visibility<'a>,
    pub(crate) limits: QueryLimits,
    /// The parameters that the request takes.
    pub(crate) takes: &'static [Group],
}

pub(super) struct Parser<'a> {
    /// The parameters that are not filters.
    table: &'static [&'static Control],
    pub(super) context: ListContext<'a>,
    /// Subject of the condition that is being read.
    pub(super) subject: Subject,
    /// Whether unknown parameters are ignored.
    pub(super) lenient: bool,
    pub(super) scope: Scope,
    pub(super) filter: Predicate,
    /// Number of filters.
    pub(super) filters: usize,
    /// Number of conditions on other records.
    pub(super) related: usize,
    /// Number of characters that the patterns compare on a record.
    pub(super) pattern_cost: u64,
    /// Depth of the conditions.
    pub(super) depth: usize,
    /// The JSON Pointer of what is being read, inside of a condition or a body.
    pub(super) within: Option<String>,
    pub(super) sort: Option<Vec<SortKey>>,
    /// The fields of other records that the order has.
    pub(super) joined: Vec<JoinedColumn>,
    /// The paths of the records to expand in each.
    pub(super) expand: Vec<String>,
    pub(super) skip: Option<u64>,
    pub(super) limit: Option<u64>,
    /// The cursor, and the parameters that it is bound to.
    pub(super) cursor: Option<String>,
    pub(super) filters_text: Vec<String>,
    /// `all=true`.
    pub(super) all: bool,
    /// The control parameters that were given: every parameter but filters.
    controls: Vec<&'static str>,
    pub(super) unknown: Vec<UnknownText>,
    pub(super) errors: FieldErrors,
}

impl<'a> Parser<'a> {
    pub(super) fn new(context: ListContext<'a>, table: &'static [&'static Control]) -> Self {
        Self {
            table,
            context,
            subject: Subject::Listed,
            lenient: false,
            scope: Scope::default_of(context.resource),
            filter: Predicate::All,
            filters: 0,
            related: 0,
            pattern_cost: 0,
            depth: 0,
            within: None,
            sort: None,
            joined: Vec::new(),
            expand: Vec::new(),
            skip: None,
            limit: None,
            cursor: None,
            filters_text: Vec::new(),
            all: false,
            controls: Vec::new(),
            unknown: Vec::new(),
            errors: FieldErrors::default(),
        }
    }

    /// Reads a whole query string.
    pub(super) fn read(&mut self, query: &str) {
        // The scope comes first: the fields that can be filtered by depend on it.
        self.read_scope(query);
        let mut given: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::new();
        for (name, value) in pairs(query) {
            match (name, value) {
                (Ok(name), Ok(value)) => given.push((name, value)),
                (Ok(name), Err(())) => self.reject(&name, "encoding", "must be percent-encoded UTF-8"),
                (Err(()), _) => self.reject("query", "encoding", "a parameter's name must be percent-encoded UTF-8"),
            }
        }
        for (index, (name, value)) in given.iter().enumerate() {
            let same = || given.iter().filter(|(other, _)| other == name);
            if same().count() == 1 || !self.is_list(name) {
                self.read_parameter(name, &[value]);
            } else if given[..index].iter().all(|(earlier, _)| earlier != name) {
                // The values of a repeated list are one list.
                let values: Vec<&str> = same().map(|(_, value)| &**value).collect();
                self.read_parameter(name, &values);
            }
        }
    }

    /// Whether a parameter's value is a list, so that it may be repeated.
    fn is_list(&self, name: &str) -> bool {
        match self.control(name) {
            Some(control) => control.name == "sort",
            None => self.find_filter(name).is_ok_and(|filter| matches!(filter.operator, Operator::In { .. })),
        }
    }

    /// The parsed request, or a problem with every error.
    pub(super) fn finish(mut self) -> Result<ListRequest, Problem> {
        let ListContext { resource, pagination, view, visibility, limits, .. } = self.context;
        limits.check(self.filters, self.related, self.depth)?;
        limits.check_patterns(self.pattern_cost)?;
        limits.check_paths(self.expand.len())?;
        let mut expansions = Expansions::new(resource, view, visibility, limits);
        for path in std::mem::take(&mut self.expand) {
            if let Err((code, detail)) = expansions.add(&path) {
                self.reject(EXPAND, code, detail);
            }
        }
        let limit = pagination.map(|pages| self.limit.unwrap_or_else(|| pages.default_limit.into()));
        // A list without pages is read in chunks, which are as small as `expand` needs.
        let expand = expansions.finish(limit.unwrap_or(1))?;
        if self.cursor.is_some() && self.skip.is_some() {
            self.reject("skip", "value", "must be absent with `cursor`");
        }
        self.filters_text.sort_unstable();
        let filters = self.filters_text.join("&");
        let keys = self.sort.unwrap_or_else(|| resource.default_sort.to_vec());
        let filter = self.scope.predicate(resource).and(self.filter);
        let mut query = ListQuery::all(resource).filter(filter).sort(total_order(resource, keys));
        query.joined = self.joined;
        query.skip = self.skip.unwrap_or(0);
        query.limit = limit;
        let Self { scope, cursor, unknown, errors, .. } = self;
        errors.into_result(ListRequest { query, scope, expand, cursor, filters, unknown })
    }

    pub(super) fn reject(&mut self, parameter: &str, code: &'static str, detail: impl Into<String>) {
        self.errors.push(error_at(self.within.as_deref(), parameter, code, detail));
    }

    fn read_scope(&mut self, query: &str) {
        if self.context.takes.contains(&Group::All) {
            self.scope = Scope::Deleted;
            return;
        }
        let flag = |wanted: &str| {
            let mut values = pairs(query).filter(|(name, _)| name.as_deref() == Ok(wanted));
            values.find_map(|(_, value)| scalar::boolean(&value.ok()?).ok())
        };
        self.set_scope(flag("only_deleted"), flag("include_deleted"));
    }

    /// Sets which records the list has, active or deleted ones.
    pub(super) fn set_scope(&mut self, only_deleted: Option<bool>, include_deleted: Option<bool>) {
        if self.context.resource.soft_delete.is_some() {
            self.scope = match (only_deleted, include_deleted) {
                (Some(true), _) => Scope::Deleted,
                (_, Some(true)) => Scope::All,
                (_, Some(false)) => Scope::Active,
                (_, None) => Scope::default_of(self.context.resource),
            };
        }
    }

    /// Reads a parameter: its one value, or the values of a repeated list.
    fn read_parameter(&mut self, name: &str, values: &[&str]) {
        if self.context.pagination.is_some_and(|pagination| pagination.cursor) {
            self.bind_cursor(name, || values.join(","));
        }
        match self.control(name) {
            Some(control) => {
                if self.is_first(control.name) {
                    (control.read)(self, values);
                }
            }
            None => self.read_filter(name, values),
        }
    }

    /// The parameters that are not filters.
    pub(super) fn controls(&self) -> impl Iterator<Item = &'static Control> {
        self.table.iter().copied().filter(|control| self.has(control))
    }

    fn has(&self, control: &Control) -> bool {
        self.context.takes.contains(&control.group) && (control.is_of)(self)
    }

    /// The parameter of this name that is not a filter.
    pub(super) fn control(&self, name: &str) -> Option<&'static Control> {
        self.table.iter().copied().find(|control| control.name == name && self.has(control))
    }

    /// Adds a condition: records must satisfy it too.
    pub(super) fn add(&mut self, condition: Predicate) {
        self.filter = std::mem::replace(&mut self.filter, Predicate::All).and(condition);
    }

    /// Binds cursors to a parameter that selects the list's records.
    pub(super) fn bind_cursor(&mut self, name: &str, value: impl FnOnce() -> String) {
        if self.table.iter().all(|control| control.name != name || control.group.selects()) {
            self.filters_text.push(format!("{name}={}", value()));
        }
    }

    /// Whether a control parameter is given for the first time; rejects it otherwise.
    pub(super) fn is_first(&mut self, name: &'static str) -> bool {
        let first = !self.controls.contains(&name);
        if first {
            self.controls.push(name);
        } else {
            self.reject(name, "duplicate", "must be given only once");
        }
        first
    }
}

/// The error of a parameter; or, inside of a condition or a body, of a member at this JSON Pointer.
pub(super) fn error_at(within: Option<&str>, name: &str, code: &'static str, detail: impl Into<String>) -> FieldError {
    match within {
        None => FieldError::parameter(name, code, detail),
        Some(pointer) => FieldError::field(name, code, detail).inside(pointer),
    }
}
