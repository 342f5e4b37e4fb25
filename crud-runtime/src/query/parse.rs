//! A request's list parameters, checked against the resource: every mistake is found in one pass.

use std::borrow::Cow;

use crud_shared::spelling;
use percent_encoding::percent_decode;

use super::visibility::View;
use super::{Comparison, ListQuery, Predicate, Scope, total_order};
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, OverLimit, Pagination, Role, SortKey};
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::scalar;
use crate::model::value::{Kind, Value};

/// How many values `__in` and `__nin` take.
pub(crate) const MAX_LIST: usize = 100;

/// How many filters a list takes: every one of them is asked of every record.
const MAX_FILTERS: usize = 100;

/// How many characters a pattern of `__like` and `__ilike` has.
pub(crate) const MAX_PATTERN: usize = 1_000;

/// Reads the parameters of a list. With `lenient`, unknown ones are ignored.
///
/// # Errors
/// A validation problem that names every parameter that is wrong, what is allowed, and the nearest spelling.
pub(crate) fn parse(
    resource: &'static Descriptor,
    pagination: Option<Pagination>,
    view: &View,
    query: &str,
    lenient: bool,
) -> Result<(ListQuery, Scope), Problem> {
    let mut parser = Parser { lenient, ..Parser::new(resource, pagination, view, Purpose::List) };
    parser.read(query);
    parser.finish()
}

/// Which soft-deleted records a request names.
#[derive(Debug, PartialEq)]
pub(crate) enum Selection {
    /// Those that satisfy a filter; of all of them with `all=true`.
    Filter(Predicate),
    /// It does not say.
    Nothing,
}

/// Reads the parameters of a change of many soft-deleted records: filters, or `all=true`.
///
/// # Errors
/// Those of [`parse`].
pub(crate) fn parse_selection(resource: &'static Descriptor, view: &View, query: &str) -> Result<Selection, Problem> {
    let mut parser = Parser::new(resource, None, view, Purpose::Selection);
    parser.read(query);
    if parser.all && parser.filters > 0 {
        parser.reject("all", "value", "must not stand beside filters");
    }
    let selection = match (parser.all, parser.filters) {
        (true, _) => Selection::Filter(Predicate::All),
        (false, 0) => Selection::Nothing,
        (false, _) => Selection::Filter(std::mem::replace(&mut parser.filter, Predicate::All)),
    };
    parser.errors.into_result(selection)
}

/// What the parameters are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// A list: filters, an order, a page.
    List,
    /// Soft-deleted records that are to be changed.
    Selection,
}

impl Parser<'_> {
    fn read(&mut self, query: &str) {
        // What can be filtered by depends on it.
        self.settle_scope(query);
        for (name, value) in pairs(query) {
            match (name, value) {
                (Ok(name), Ok(value)) => self.parameter(&name, &value),
                (Ok(name), Err(())) => self.reject(&name, "encoding", "must be percent-encoded UTF-8"),
                (Err(()), _) => self.reject("query", "encoding", "a parameter's name must be percent-encoded UTF-8"),
            }
        }
    }

    /// Which records the request sees.
    fn settle_scope(&mut self, query: &str) {
        if self.purpose == Purpose::Selection {
            self.scope = Scope::Deleted;
            return;
        }
        let flag = |wanted: &str| {
            let mut values = pairs(query).filter(|(name, _)| name.as_deref() == Ok(wanted));
            values.find_map(|(_, value)| scalar::boolean(&value.ok()?).ok())
        };
        if self.resource.soft_delete.is_some() {
            self.scope = match (flag("only_deleted"), flag("include_deleted")) {
                (Some(true), _) => Scope::Deleted,
                (_, Some(true)) => Scope::All,
                (_, Some(false)) => Scope::Active,
                (_, None) => Scope::default_of(self.resource),
            };
        }
    }
}

/// The operators of filters, as `<field>__<operator>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `<field>` and `<field>__<name>` for `eq`, `ne`, `gt`, `gte`, `lt`, `lte`.
    Compare(Comparison),
    /// `in`, `nin`.
    In { negated: bool },
    /// `like`, `ilike`.
    Like { ignore_case: bool },
    /// `isnull`.
    IsNull,
}

impl Operator {
    /// Every operator with its name.
    pub(crate) const ALL: [(&'static str, Self); 11] = [
        ("eq", Self::Compare(Comparison::Eq)),
        ("ne", Self::Compare(Comparison::Ne)),
        ("gt", Self::Compare(Comparison::Gt)),
        ("gte", Self::Compare(Comparison::Gte)),
        ("lt", Self::Compare(Comparison::Lt)),
        ("lte", Self::Compare(Comparison::Lte)),
        ("in", Self::In { negated: false }),
        ("nin", Self::In { negated: true }),
        ("like", Self::Like { ignore_case: false }),
        ("ilike", Self::Like { ignore_case: true }),
        ("isnull", Self::IsNull),
    ];

    /// Whether columns of this type have the operator.
    pub(crate) fn applies(self, column: &ColumnDescriptor) -> bool {
        match self {
            Self::Compare(Comparison::Eq | Comparison::Ne) | Self::In { .. } => column.kind.is_comparable(),
            Self::Compare(_) => column.kind.is_ordered(),
            Self::Like { .. } => column.kind.is_text(),
            Self::IsNull => column.nullable,
        }
    }

    /// The names of the operators that a column has.
    fn names(column: &ColumnDescriptor) -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().filter(|(_, operator)| operator.applies(column)).map(|(name, _)| name)
    }
}

type Decoded<'a> = Result<Cow<'a, str>, ()>;

/// The parameters of a query string (WHATWG URL, section 5), but strictly UTF-8.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (Decoded<'_>, Decoded<'_>)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    })
}

fn decode(text: &str) -> Decoded<'_> {
    if !text.contains('+') {
        return percent_decode(text.as_bytes()).decode_utf8().map_err(drop);
    }
    let spaced = text.replace('+', " ");
    percent_decode(spaced.as_bytes()).decode_utf8().map(|text| Cow::Owned(text.into_owned())).map_err(drop)
}

struct Parser<'a> {
    view: &'a View,
    resource: &'static Descriptor,
    pagination: Option<Pagination>,
    lenient: bool,
    filter: Predicate,
    filters: usize,
    sort: Option<Vec<SortKey>>,
    skip: Option<u64>,
    limit: Option<u64>,
    purpose: Purpose,
    scope: Scope,
    all: bool,
    controls: Vec<&'static str>,
    errors: FieldErrors,
}

impl<'a> Parser<'a> {
    fn new(resource: &'static Descriptor, pagination: Option<Pagination>, view: &'a View, purpose: Purpose) -> Self {
        Self {
            view,
            resource,
            pagination,
            lenient: false,
            filter: Predicate::All,
            filters: 0,
            sort: None,
            skip: None,
            limit: None,
            purpose,
            scope: Scope::default_of(resource),
            all: false,
            controls: Vec::new(),
            errors: FieldErrors::default(),
        }
    }

    fn reject(&mut self, parameter: &str, code: &'static str, detail: impl Into<String>) {
        self.errors.push(FieldError::parameter(parameter, code, detail));
    }

    fn parameter(&mut self, name: &str, value: &str) {
        let list = self.purpose == Purpose::List;
        let pages = self.pagination.filter(|_| list);
        match name {
            "include_deleted" | "only_deleted" if list && self.resource.soft_delete.is_some() => {
                if self.once(if name == "only_deleted" { "only_deleted" } else { "include_deleted" })
                    && let Err(error) = scalar::boolean(value)
                {
                    self.reject(name, "type", error.message());
                }
            }
            "all" if !list => {
                if self.once("all") {
                    match scalar::boolean(value) {
                        Ok(all) => self.all = all,
                        Err(error) => self.reject("all", "type", error.message()),
                    }
                }
            }
            "sort" if list && self.sortable_fields().next().is_some() => {
                if self.once("sort") {
                    self.sort(value);
                }
            }
            "skip" if pages.is_some() => {
                if self.once("skip") {
                    self.skip(value);
                }
            }
            "limit" => match pages {
                Some(pages) => {
                    if self.once("limit") {
                        self.limit(value, pages);
                    }
                }
                None => self.filter(name, value),
            },
            _ => self.filter(name, value),
        }
    }

    /// Whether a control parameter is given for the first time.
    fn once(&mut self, name: &'static str) -> bool {
        let first = !self.controls.contains(&name);
        if first {
            self.controls.push(name);
        } else {
            self.reject(name, "duplicate", "must be given only once");
        }
        first
    }

    fn skip(&mut self, value: &str) {
        match scalar::integer(Kind::I64, value).map(u64::try_from) {
            Ok(Ok(skip)) => self.skip = Some(skip),
            Ok(Err(_)) => self.reject("skip", "range", "must not be negative"),
            Err(error) => self.reject("skip", "type", error.message()),
        }
    }

    fn limit(&mut self, value: &str, pages: Pagination) {
        let most = u64::from(pages.max_limit);
        match scalar::integer(Kind::I64, value).map(u64::try_from) {
            Ok(Ok(limit)) if (1..=most).contains(&limit) => self.limit = Some(limit),
            Ok(Ok(limit)) if limit > most && pages.over_limit == OverLimit::Clamp => self.limit = Some(most),
            // An integer too large to read is above the largest limit too.
            Err(error) if pages.over_limit == OverLimit::Clamp && is_large(value, &error) => self.limit = Some(most),
            Ok(_) if pages.over_limit == OverLimit::Clamp => self.reject("limit", "range", "must be at least 1"),
            Ok(_) => self.reject("limit", "range", format!("must be between 1 and {most}")),
            Err(error) => self.reject("limit", "type", error.message()),
        }
    }

    fn sort(&mut self, value: &str) {
        let mut keys = Vec::<SortKey>::new();
        for part in value.split(',') {
            let (name, descending) = part.strip_prefix('-').map_or((part, false), |name| (name, true));
            let mut sortable = self.view.returned(self.resource).filter(|(_, column)| column.sortable);
            let found = sortable.find(|(_, column)| column.json == name).map(|(index, _)| index);
            match found {
                None => {
                    let names: Vec<&str> = self.sortable_fields().map(|column| column.json).collect();
                    let detail = unknown_sort(&names, value, name);
                    self.reject("sort", "unknown_field", detail);
                }
                Some(column) if keys.iter().any(|key| key.column == column) => {
                    self.reject("sort", "duplicate", format!("`{name}` is given twice"));
                }
                Some(column) => keys.push(SortKey { column, descending }),
            }
        }
        self.sort = Some(keys);
    }

    fn filter(&mut self, name: &str, value: &str) {
        match self.find_filter(name) {
            Ok((column, operator)) => match predicate(self.resource, column, operator, value) {
                Ok(predicate) if self.filters < MAX_FILTERS => {
                    self.filters += 1;
                    self.filter = std::mem::replace(&mut self.filter, Predicate::All).and(predicate);
                }
                // Said of the first that is too many.
                Ok(_) if self.filters == MAX_FILTERS => {
                    self.filters += 1;
                    self.reject(name, "too_many", format!("is one filter too many: a list takes {MAX_FILTERS}"));
                }
                Ok(_) => {}
                Err(error) => self.reject(name, "value", error.message()),
            },
            Err(None) if self.lenient => {}
            Err(None) => {
                let detail = self.unknown_parameter(name);
                self.reject(name, "unknown_parameter", detail);
            }
            Err(Some((code, detail))) => self.reject(name, code, detail),
        }
    }

    /// The column and operator that a parameter names; `Err(None)` when it names no field at all.
    fn find_filter(&self, name: &str) -> Result<(usize, Operator), Option<(&'static str, String)>> {
        if let Some(column) = self.visible(name) {
            return self.filterable(column, Operator::Compare(Comparison::Eq));
        }
        // The field's name may itself have two underscores: the operator is what follows the last ones.
        let (field, operator) = name.rsplit_once("__").ok_or(None)?;
        let index = self.visible(field).ok_or(None)?;
        let column = &self.resource.columns[index];
        match Operator::ALL.into_iter().find(|(known, _)| *known == operator) {
            Some((_, operator)) => self.filterable(index, operator),
            None => {
                let names = || Operator::names(column);
                let nearest = spelling::nearest(operator, names()).map(|nearest| format!("{field}__{nearest}"));
                let hint = scalar::did_you_mean(nearest.as_deref());
                let detail = format!("`{operator}` is no operator; `{field}` has {}{hint}", scalar::listed(names()));
                Err(Some(("unknown_operator", detail)))
            }
        }
    }

    /// A field that the client knows of, filterable or not.
    fn visible(&self, name: &str) -> Option<usize> {
        self.view.returned(self.resource).find(|(_, column)| column.json == name).map(|(index, _)| index)
    }

    fn filterable(
        &self,
        index: usize,
        operator: Operator,
    ) -> Result<(usize, Operator), Option<(&'static str, String)>> {
        let column = &self.resource.columns[index];
        // Of deleted records, the time of deletion always tells which.
        let of_deleted = column.role == Role::DeletedAt && self.scope != Scope::Active;
        if !column.filterable && !of_deleted {
            let fields = scalar::listed(self.filterable_fields().map(|column| column.json));
            let detail = if fields.is_empty() {
                format!("`{}` cannot be filtered by; no field can", column.json)
            } else {
                format!("`{}` cannot be filtered by; fields that can are {fields}", column.json)
            };
            return Err(Some(("not_filterable", detail)));
        }
        if !operator.applies(column) {
            let detail =
                format!("`{}` has no such operator; it has {}", column.json, scalar::listed(Operator::names(column)));
            return Err(Some(("unknown_operator", detail)));
        }
        Ok((index, operator))
    }

    fn unknown_parameter(&self, name: &str) -> String {
        let mut legal: Vec<&str> = self.filterable_fields().map(|column| column.json).collect();
        if self.purpose == Purpose::Selection {
            legal.push("all");
        } else {
            if self.sortable_fields().next().is_some() {
                legal.push("sort");
            }
            if self.pagination.is_some() {
                legal.extend(["skip", "limit"]);
            }
            if self.resource.soft_delete.is_some() {
                legal.extend(["include_deleted", "only_deleted"]);
            }
        }
        if legal.is_empty() {
            return "is not a parameter: this list takes none".to_owned();
        }
        let mut names: Vec<Cow<'_, str>> = legal.iter().map(|&name| name.into()).collect();
        for column in self.filterable_fields() {
            names.extend(Operator::names(column).map(|operator| format!("{}__{operator}", column.json).into()));
        }
        let hint = scalar::did_you_mean(spelling::nearest(name, names.iter().map(|name| &**name)));
        format!("is not a parameter; parameters are {}{hint}", scalar::listed(legal.into_iter()))
    }

    fn finish(self) -> Result<(ListQuery, Scope), Problem> {
        let resource = self.resource;
        let keys = self.sort.unwrap_or_else(|| resource.default_sort.to_vec());
        let limit = self.pagination.map(|pages| self.limit.unwrap_or_else(|| pages.default_limit.into()));
        let query = ListQuery {
            filter: self.scope.predicate(resource).and(self.filter),
            sort: total_order(resource, keys),
            skip: self.skip.unwrap_or(0),
            limit,
            after: None,
        };
        self.errors.into_result((query, self.scope))
    }

    /// The fields that the client can filter by.
    fn filterable_fields(&self) -> impl Iterator<Item = &'static ColumnDescriptor> {
        self.view.returned(self.resource).map(|(_, column)| column).filter(|column| column.filterable)
    }

    /// The fields that the client can sort by.
    fn sortable_fields(&self) -> impl Iterator<Item = &'static ColumnDescriptor> {
        self.view.returned(self.resource).map(|(_, column)| column).filter(|column| column.sortable)
    }
}

/// Whether a text that failed to be read as an integer is one that is merely too large.
fn is_large(text: &str, error: &ColumnError) -> bool {
    error == &scalar::out_of_range(Kind::I64) && !text.starts_with('-')
}

fn unknown_sort(sortable: &[&str], value: &str, name: &str) -> String {
    let names = || sortable.iter().copied();
    let legal = scalar::listed(names());
    if value.is_empty() {
        return format!("must name a field; sortable fields are {legal}");
    }
    let hint = scalar::did_you_mean(spelling::nearest(name, names()));
    format!("`{name}` is not sortable; sortable fields are {legal}{hint}")
}

fn predicate(
    resource: &'static Descriptor,
    index: usize,
    operator: Operator,
    text: &str,
) -> Result<Predicate, ColumnError> {
    let column = &resource.columns[index];
    match operator {
        Operator::Compare(operator) => Ok(Predicate::Compare { column: index, operator, value: value(column, text)? }),
        Operator::In { negated } => {
            let texts = split_list(text)?;
            if texts.len() > MAX_LIST {
                return Err(ColumnError::new(format!("must have at most {MAX_LIST} values")));
            }
            let values = texts.iter().map(|text| value(column, text)).collect::<Result<_, _>>()?;
            Ok(Predicate::In { column: index, negated, values })
        }
        Operator::Like { ignore_case } => {
            scalar::plain_text(text)?;
            if text.chars().nth(MAX_PATTERN).is_some() {
                return Err(ColumnError::new(format!("must have at most {MAX_PATTERN} characters")));
            }
            Ok(Predicate::Like { column: index, pattern: text.to_owned(), ignore_case })
        }
        Operator::IsNull => Ok(Predicate::IsNull { column: index, null: scalar::boolean(text)? }),
    }
}

fn value(column: &ColumnDescriptor, text: &str) -> Result<Value, ColumnError> {
    let value = scalar::parse(column, text)?;
    if let Some(check) = column.check {
        check(value.borrow())?;
    }
    Ok(value)
}

/// Splits at commas; a value in double quotes may have commas, and doubled quotes for its own.
fn split_list(text: &str) -> Result<Vec<String>, ColumnError> {
    let mut values = Vec::new();
    let mut rest = text;
    loop {
        let value;
        (value, rest) = match rest.strip_prefix('"') {
            Some(quoted) => unquote(quoted)?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        values.push(value);
        match rest.strip_prefix(',') {
            Some(next) => rest = next,
            None if rest.is_empty() => return Ok(values),
            None => return Err(ColumnError::new("must have a comma after a quoted value")),
        }
    }
}

/// The value before the closing quote, and what follows the quote.
fn unquote(text: &str) -> Result<(String, &str), ColumnError> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('"').ok_or_else(|| ColumnError::new("has a quote that is not closed"))?;
        value.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                value.push('"');
                rest = after;
            }
            None => return Ok((value, rest)),
        }
    }
}

#[cfg(test)]
mod tests;
