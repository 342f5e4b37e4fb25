//! Filters: `<field>=<value>` and `<field>__<operator>=<value>`.

use std::borrow::Cow;

use crud_shared::list::CONNECTIVES;
use crud_shared::spelling;

use super::day;
use super::operator::Operator;
use super::parser::{Group, Parser, UnknownText, error_at};
use super::subject::{KnownField, Relation, Subject};
use super::value_list::split_lists;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::principal::Principal;
use crate::model::problem::FieldError;
use crate::model::scalar;
use crate::model::value::{Kind, Value};
use crate::query::claims::subject_value;
use crate::query::visibility::FieldVisibility;
use crate::query::{Comparison, Predicate, Scope};

/// The value of a filter that stands for the caller's own id.
pub(super) const ME: &str = "me";

/// Limit of unknown texts in a request: each costs a query.
const MAX_UNKNOWN: usize = 8;

/// A filter: the column that it compares, and the operator.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filter {
    resource: &'static Descriptor,
    pub(super) index: usize,
    pub(super) operator: Operator,
    /// The column that refers to the record, if the filter is not on the condition's own record.
    pub(super) relation: Option<Relation>,
}

impl Filter {
    /// The condition that the column's time is on a day.
    pub(super) fn on(&self, day: &str) -> Result<Predicate, ColumnError> {
        day::predicate(self.resource, self.index, day)
    }

    pub(super) fn column(&self) -> &'static ColumnDescriptor {
        &self.resource.columns[self.index]
    }

    /// The caller's own id in place of [`ME`], where the field holds ids of principals and the text is that word.
    ///
    /// # Errors
    /// Without a principal, and for a principal whose id no record can have.
    pub(super) fn caller(&self, text: &str, principal: Option<&Principal>) -> Option<Result<Value, ColumnError>> {
        if text != ME || !self.resource.has_subjects(self.index) {
            return None;
        }
        let id = principal.and_then(|principal| subject_value(self.column(), principal));
        Some(id.ok_or_else(|| ColumnError::new(format!("must not be `{ME}`: the request has no such user"))))
    }
}

/// Reason why a parameter is not a filter.
pub(super) enum NotAFilter<'p> {
    /// Its name starts with no field's name.
    UnknownField,
    /// The field is known, and has no operator of this name.
    UnknownOperator { column: &'static ColumnDescriptor, operator: &'p str },
    /// The field is known, and cannot be filtered like this.
    Rejected { code: &'static str, detail: String },
}

impl Parser<'_> {
    /// Reads a filter with its value, or with the values of a repeated list.
    pub(super) fn read_filter(&mut self, name: &str, values: &[&str]) {
        match self.find_filter(name) {
            Ok(filter) => match predicate(&filter, values, self.context.visibility.principal) {
                Ok(predicate) => {
                    self.filters += 1;
                    self.count_pattern(&filter, &predicate);
                    self.check_texts(name, &filter, &predicate);
                    let predicate = match filter.relation {
                        Some(relation) => self.of_record(relation, predicate),
                        None => predicate,
                    };
                    self.add(predicate);
                }
                Err(error) => self.reject(name, "value", error.message()),
            },
            Err(reason) => self.reject_filter(name, reason),
        }
    }

    /// Counts what a pattern costs.
    pub(super) fn count_pattern(&mut self, filter: &Filter, predicate: &Predicate) {
        if let Predicate::Like { pattern, .. } = predicate {
            self.pattern_cost = self.pattern_cost.saturating_add(self.context.limits.cost(filter.column(), pattern));
        }
    }

    /// Keeps the unknown texts of a filter by a listed record's field, so that storage can be asked for them. Rejects
    /// those of other filters.
    pub(super) fn check_texts(&mut self, name: &str, filter: &Filter, predicate: &Predicate) {
        let values: &[Value] = match predicate {
            Predicate::Compare { value, .. } => std::slice::from_ref(value),
            Predicate::In { values, .. } => values,
            _ => return,
        };
        let column = filter.column();
        let is_own = matches!(self.subject, Subject::Listed) && filter.relation.is_none();
        for value in values.iter().filter(|value| column.is_unknown(value)) {
            let (Kind::Enum(labels), Value::Text(text)) = (column.kind, value) else { continue };
            let Err(error) = scalar::one_of(labels, text) else { continue };
            let error = error_at(self.within.as_deref(), name, "value", error.message());
            if is_own && !self.context.takes.contains(&Group::All) && self.unknown.len() < MAX_UNKNOWN {
                self.unknown.push(UnknownText { column: filter.index, value: value.clone(), error });
            } else {
                self.errors.push(error);
            }
        }
    }

    /// Rejects a parameter or a member of a condition that is not a filter.
    pub(super) fn reject_filter(&mut self, name: &str, reason: NotAFilter<'_>) {
        match reason {
            NotAFilter::UnknownField if self.lenient => {}
            NotAFilter::UnknownField => self.reject_unknown_parameter(name),
            NotAFilter::UnknownOperator { column, operator } => self.reject_unknown_operator(name, column, operator),
            NotAFilter::Rejected { code, detail } => self.reject(name, code, detail),
        }
    }

    /// The filter that a parameter names, or a member of a condition.
    pub(super) fn find_filter<'p>(&self, name: &'p str) -> Result<Filter, NotAFilter<'p>> {
        if let Some(field) = self.known_field(name) {
            return self.checked_filter(field, Operator::Compare(Comparison::Eq));
        }
        // The field's name may itself have two underscores: the operator follows the last two.
        let (field, operator) = name.rsplit_once("__").ok_or(NotAFilter::UnknownField)?;
        let field = self.known_field(field).ok_or(NotAFilter::UnknownField)?;
        if let Some(operator) = Operator::named(operator) {
            return self.checked_filter(field, operator);
        }
        Err(NotAFilter::UnknownOperator { column: field.column(), operator })
    }

    fn reject_unknown_operator(&mut self, name: &str, column: &'static ColumnDescriptor, operator: &str) {
        let field = column.json;
        let names = || Operator::names(column);
        let within = self.within.as_deref();
        let nearest = || spelling::nearest(operator, names()).map(|nearest| format!("{field}__{nearest}"));
        self.errors.push_unknown(nearest, |hint| {
            let detail = format!("`{operator}` is not an operator; `{field}` has {}{hint}", scalar::listed(names()));
            error_at(within, name, "unknown_operator", detail)
        });
    }

    /// A field that the client knows, filterable or not.
    fn known_field(&self, name: &str) -> Option<KnownField> {
        let resource = match self.subject {
            Subject::Referenced(relation) => return self.known_path(relation, name),
            Subject::Related(resource) => resource,
            Subject::Listed => self.context.resource,
        };
        if let Some((relation, field)) = name.split_once('.')
            && let Some(relation) = self.known_relation(relation)
        {
            return self.known_path(relation, field);
        }
        let (index, _) = self.view_of_subject().returned(resource).find(|(_, column)| column.json == name)?;
        Some(KnownField { resource, index, relation: None })
    }

    /// The filter, if the field has this operator and can be filtered by.
    fn checked_filter(&self, field: KnownField, operator: Operator) -> Result<Filter, NotAFilter<'static>> {
        let column = field.column();
        // Deleted records can always be filtered by the time of deletion.
        let is_listed = matches!(self.subject, Subject::Listed);
        let is_deletion_time = column.is_deletion_time() && self.scope != Scope::Active && is_listed;
        let is_path = field.relation.is_some();
        if !column.filterable && !is_deletion_time && !is_path {
            let fields = scalar::listed(self.filterable_fields().map(|column| column.json));
            let detail = if fields.is_empty() {
                format!("`{}` cannot be filtered by; no field can", column.json)
            } else {
                format!("`{}` cannot be filtered by; fields that can are {fields}", column.json)
            };
            return Err(NotAFilter::Rejected { code: "not_filterable", detail });
        }
        if !operator.applies(column) {
            let detail =
                format!("`{}` has no such operator; it has {}", column.json, scalar::listed(Operator::names(column)));
            return Err(NotAFilter::Rejected { code: "unknown_operator", detail });
        }
        let KnownField { resource, index, relation } = field;
        Ok(Filter { resource, index, operator, relation })
    }

    fn reject_unknown_parameter(&mut self, name: &str) {
        let legal = self.legal_parameters();
        if legal.is_empty() {
            return self.reject(name, "unknown_parameter", "is not a parameter: this list takes none");
        }
        let columns: Vec<_> = self.filterable_fields().collect();
        let within = self.within.as_deref();
        let nearest = || {
            let mut names: Vec<Cow<'_, str>> = legal.iter().map(|name| (&**name).into()).collect();
            for column in &columns {
                names.extend(Operator::names(column).map(|operator| format!("{}__{operator}", column.json).into()));
            }
            spelling::nearest(name, names.iter().map(|name| &**name)).map(str::to_owned)
        };
        self.errors.push_unknown(nearest, |hint| {
            let legal = scalar::listed(legal.iter().map(|name| &**name));
            match within {
                None => {
                    let detail = format!("is not a parameter; parameters are {legal}{hint}");
                    FieldError::parameter(name, "unknown_parameter", detail)
                }
                Some(_) => {
                    let detail = format!("is not a filter; names are {legal}{hint}");
                    error_at(within, name, "unknown_field", detail)
                }
            }
        });
    }

    /// The parameters that a client may use, including filters without an operator.
    fn legal_parameters(&self) -> Vec<Cow<'static, str>> {
        let fields = self.filterable_fields().map(|column| column.json.into());
        let paths = self.path_names().into_iter().map(Cow::from);
        let mut legal: Vec<Cow<'static, str>> = fields.chain(paths).collect();
        if self.within.is_some() {
            legal.extend(self.known_lists().into_iter().map(|(name, _)| Cow::from(name)));
            legal.extend(CONNECTIVES.iter().map(|name| Cow::from(*name)));
        } else {
            legal.extend(self.controls().map(|control| Cow::from(control.name)));
        }
        legal
    }

    /// Whether there is anything that the client can filter by.
    pub(super) fn has_filters(&self) -> bool {
        self.filterable_fields().next().is_some() || !self.path_names().is_empty() || !self.known_lists().is_empty()
    }

    /// The fields of the condition's subject that the client can filter by.
    pub(super) fn filterable_fields(&self) -> Box<dyn Iterator<Item = &'static ColumnDescriptor> + '_> {
        let resource = match self.subject {
            Subject::Listed => self.context.resource,
            Subject::Referenced(relation) => return Box::new(self.paths_of(relation).into_iter()),
            Subject::Related(resource) => resource,
        };
        let shown: Vec<_> = self.view_of_subject().returned(resource).map(|(_, column)| column).collect();
        Box::new(shown.into_iter().filter(|column| column.filterable))
    }

    /// The fields that the client sees of the condition's subject.
    pub(super) fn view_of_subject(&self) -> Cow<'_, FieldVisibility> {
        match self.subject {
            Subject::Related(resource) => Cow::Owned(self.context.visibility.fields(resource)),
            Subject::Listed | Subject::Referenced(_) => Cow::Borrowed(self.context.view),
        }
    }
}

fn predicate(filter: &Filter, texts: &[&str], principal: Option<&Principal>) -> Result<Predicate, ColumnError> {
    let Filter { index, operator, .. } = *filter;
    let (column, text) = (filter.column(), texts.first().copied().unwrap_or_default());
    let value = |text: &str| match filter.caller(text, principal) {
        Some(caller) => caller,
        None => value(column, text),
    };
    match operator {
        Operator::Compare(operator) => Ok(Predicate::comparison(index, column.kind, operator, value(text)?)),
        Operator::In { negated } => {
            let texts = split_lists(texts)?;
            let values = texts.iter().map(|text| value(text)).collect::<Result<_, _>>()?;
            Ok(Predicate::In { column: index, negated, values })
        }
        Operator::Like { .. } | Operator::Contains { .. } | Operator::StartsWith => operator.pattern(text, index),
        Operator::IsNull => Ok(Predicate::IsNull { column: index, null: scalar::boolean(text)? }),
        Operator::On => filter.on(text),
    }
}

/// A value of the column, by its kind and its type's own check; for an enum, any text.
fn value(column: &ColumnDescriptor, text: &str) -> Result<Value, ColumnError> {
    let value = scalar::parse_stored(column, text)?;
    if let Some(check) = column.check {
        check(value.borrow())?;
    }
    Ok(value)
}
