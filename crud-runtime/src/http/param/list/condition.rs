//! Conditions in JSON, as `where` has them: `{"or": [{"price__lt": 10}, {"not": {"stock": 0}}]}`.
//!
//! An object is the conjunction of its members: filters with their names in the query string, `and` and `or` with a
//! list of conditions, `not` with one.

use std::collections::HashSet;

use super::filter::Filter;
use super::json::{Json, integral};
use super::operator::Operator;
use super::parser::{Control, Group, Parser, only};
use super::subject::Subject;
use super::value_list::MAX_LIST;
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::http::description::relation::has_filters;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::principal::Principal;
use crate::model::problem::{FieldError, FieldErrors};
use crate::model::value::{Kind, Value};
use crate::model::{scalar, text};
use crate::query::Predicate;

/// Maximum number of conditions in `and` and `or`.
pub(crate) const MAX_CONDITIONS: usize = 20;

/// The parameter `where`. An extension states the schema of its value, because generators stumble over parameters with
/// a `content`, and Swagger UI draws a file chooser for a text with a `contentMediaType`.
pub(super) static WHERE: Control = Control {
    name: "where",
    group: Group::Condition,
    is_of: |parser| match parser.within {
        Some(_) => parser.context.resource.has_filters(),
        None => parser.has_filters(),
    },
    read: |parser, values| parser.read_where_parameter(only(values)),
    read_member: |parser, condition| parser.read_where(condition, "/where".to_owned()),
    document: |options, _, schema| {
        let description = "A condition in JSON that the records satisfy too: filters, `and`, `or` and `not`.";
        let schema = Schema::text().with("x-crud-schema", format!("#/components/schemas/{schema}"));
        has_filters(options.descriptor).then(|| ParameterObject::query("where", description, schema))
    },
};

impl Parser<'_> {
    /// Reads the parameter `where`.
    fn read_where_parameter(&mut self, text: &str) {
        match Json::read(text.as_bytes()) {
            Ok(condition) => {
                let searches = FieldErrors::with_searches(self.errors.searches());
                let before = std::mem::replace(&mut self.errors, searches);
                let unknown = self.unknown.len();
                self.read_where(&condition, String::new());
                let inside = std::mem::replace(&mut self.errors, before);
                self.errors.append(inside, |error| error.in_parameter("where"));
                for unknown in &mut self.unknown[unknown..] {
                    unknown.error = unknown.error.clone().in_parameter("where");
                }
            }
            Err(error) => self.reject("where", "json", format!("must be a condition in JSON: {error}")),
        }
    }

    /// Reads the condition at this JSON Pointer, and adds it to those that records must satisfy.
    fn read_where(&mut self, condition: &Json, pointer: String) {
        let (within, lenient) = (self.within.replace(pointer), std::mem::replace(&mut self.lenient, false));
        let condition = self.condition(condition, 1, false);
        (self.within, self.lenient) = (within, lenient);
        self.add(condition);
    }

    /// The predicate of a condition, or of its negation. For an invalid condition, it is any predicate.
    ///
    /// A negation is moved inward to the filters, so that a negated filter on another record is a condition on that
    /// record. A reference that is null, or to a record that the client does not see, satisfies neither a filter nor
    /// its negation.
    pub(super) fn condition(&mut self, condition: &Json, depth: usize, negated: bool) -> Predicate {
        self.depth = self.depth.max(depth);
        let Json::Object(members) = condition else {
            self.reject_here("type", "must be an object");
            return Predicate::All;
        };
        if members.is_empty() {
            self.reject_here("value", "must have a member: without one it would hold for every record");
        }
        let mut names = HashSet::new();
        let mut terms = Vec::with_capacity(members.len());
        for (name, value) in members {
            // A body can be larger than a query string: a condition that is too complex is not read to its end.
            if self.filters > self.context.limits.terms || self.related > self.context.limits.related {
                break;
            }
            if !names.insert(name) {
                self.reject(name, "duplicate", "must be given only once");
            }
            let term = match &**name {
                "and" => junction(!negated, self.inside(name, |parser| parser.conditions(value, depth, negated))),
                "or" => junction(negated, self.inside(name, |parser| parser.conditions(value, depth, negated))),
                "not" => self.inside(name, |parser| parser.condition(value, depth + 1, !negated)),
                name => match self.related(name) {
                    Some(related) => self.related_condition(related, name, value, depth, negated),
                    None => self.filter_term(name, value, negated),
                },
            };
            terms.push(term);
        }
        junction(!negated, terms)
    }

    fn conditions(&mut self, conditions: &Json, depth: usize, negated: bool) -> Vec<Predicate> {
        match conditions {
            Json::Array(conditions) if (1..=MAX_CONDITIONS).contains(&conditions.len()) => {
                let of = |(index, condition): (usize, &Json)| {
                    self.inside(&index.to_string(), |parser| parser.condition(condition, depth + 1, negated))
                };
                conditions.iter().enumerate().map(of).collect()
            }
            Json::Array(_) => {
                self.reject_here("value", format!("must have between 1 and {MAX_CONDITIONS} conditions"));
                Vec::new()
            }
            _ => {
                self.reject_here("type", "must be an array of conditions");
                Vec::new()
            }
        }
    }

    fn filter_term(&mut self, name: &str, value: &Json, negated: bool) -> Predicate {
        self.filters += 1;
        let filter = match self.find_filter(name) {
            Ok(found) => found,
            Err(reason) => {
                self.reject_filter(name, reason);
                return Predicate::All;
            }
        };
        match filter_predicate(&filter, value, self.context.visibility.principal) {
            Ok(predicate) => {
                self.count_pattern(&filter, &predicate);
                self.check_texts(name, &filter, &predicate);
                let predicate = if negated { Predicate::Not(Box::new(predicate)) } else { predicate };
                // Inside of a condition on another record, filters are on that record already.
                match (self.subject, filter.relation) {
                    (Subject::Referenced(_), _) | (_, None) => predicate,
                    (_, Some(relation)) => self.of_record(relation, predicate),
                }
            }
            Err(error) => {
                self.reject(name, "value", error.message());
                Predicate::All
            }
        }
    }

    /// Reads a member or an item of the value that is being read.
    pub(super) fn inside<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.within.clone().unwrap_or_default();
        self.within = Some(format!("{outside}/{name}"));
        let value = read(self);
        self.within = Some(outside);
        value
    }

    /// Rejects the value that is being read.
    pub(super) fn reject_here(&mut self, code: &'static str, detail: impl Into<String>) {
        let pointer = self.within.clone().unwrap_or_default();
        self.errors.push(FieldError::pointer(pointer, code, detail));
    }
}

/// The conjunction or the disjunction of the terms.
fn junction(all: bool, mut terms: Vec<Predicate>) -> Predicate {
    match (terms.len(), all) {
        (1, _) => terms.remove(0),
        (_, true) => Predicate::And(terms),
        (_, false) => Predicate::Or(terms),
    }
}

fn filter_predicate(filter: &Filter, value: &Json, principal: Option<&Principal>) -> Result<Predicate, ColumnError> {
    let (index, column) = (filter.index, filter.column());
    let column_value = |value: &Json| {
        let caller = if let Json::Text(text) = value { filter.caller(text, principal) } else { None };
        caller.unwrap_or_else(|| column_value(column, value))
    };
    match filter.operator {
        Operator::Compare(operator) => Ok(Predicate::comparison(index, column.kind, operator, column_value(value)?)),
        Operator::In { negated } => {
            let Json::Array(items) = value else { return Err(ColumnError::new("must be an array")) };
            if items.is_empty() || items.len() > MAX_LIST {
                return Err(ColumnError::new(format!("must have between 1 and {MAX_LIST} values")));
            }
            let item = |(position, item)| {
                let at = |error: ColumnError| ColumnError::new(format!("value {position}: {}", error.message()));
                column_value(item).map_err(at)
            };
            let values = items.iter().enumerate().map(item).collect::<Result<_, _>>()?;
            Ok(Predicate::In { column: index, negated, values })
        }
        Operator::Like { .. } | Operator::Contains { .. } | Operator::StartsWith => {
            let Json::Text(text) = value else { return Err(ColumnError::new("must be a string")) };
            filter.operator.pattern(text, index)
        }
        Operator::IsNull => {
            let Json::Bool(null) = *value else { return Err(ColumnError::new("must be true or false")) };
            Ok(Predicate::IsNull { column: index, null })
        }
        Operator::On => {
            let Json::Text(day) = value else { return Err(ColumnError::new("must be a string")) };
            filter.on(day)
        }
    }
}

/// A value of the column as JSON has it, by its kind and its type's own check; for an enum, any text.
fn column_value(column: &ColumnDescriptor, value: &Json) -> Result<Value, ColumnError> {
    let wrong_type = || ColumnError::new(scalar::json_form(column.kind));
    let is_number = matches!(column.kind, Kind::F32 | Kind::F64) || column.kind.integer_range().is_some();
    let value = match value {
        Json::Null if column.nullable => {
            return Err(ColumnError::new(format!("must not be null: `{}__isnull` asks for that", column.json)));
        }
        Json::Bool(value) if column.kind == Kind::Bool => Value::Bool(*value),
        Json::Number(number) if is_number => scalar::parse(column, &integral(number))?,
        // Unlike in a query string, a space is not read as a plus sign.
        Json::Text(text) if column.kind == Kind::DateTime => Value::DateTime(text::parse_date_time(text)?),
        Json::Text(text) if !is_number && column.kind != Kind::Bool => scalar::parse_stored(column, text)?,
        _ => return Err(wrong_type()),
    };
    if let Some(check) = column.check {
        check(value.borrow())?;
    }
    Ok(value)
}
