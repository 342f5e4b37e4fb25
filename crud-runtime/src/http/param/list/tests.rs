use chrono::{DateTime, Utc};

use super::operator::Operator;
use super::{LIST, ListContext, parse};
use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, FieldErrors, Problem};
use crate::model::value::Value;
use crate::prelude::*;
use crate::query::visibility::{FieldVisibility, Visibility};
use crate::query::{Comparison, ListQuery, Predicate, QueryLimits};

/// A product, with a field of each kind of filter.
#[derive(Resource)]
#[crud(
    filter(name, price, stock, note, released, a_b),
    sort(name, price, stock),
    default_sort(desc(price)),
    pagination(default_limit = 20, max_limit = 100)
)]
struct Product {
    id: i64,
    name: String,
    price: f64,
    stock: i16,
    note: Option<String>,
    released: DateTime<Utc>,
    #[crud(rename = "a__b")]
    a_b: i64,
    cost: f64,
    #[crud(hidden, default = 0)]
    secret: i64,
}

const ID: usize = 0;
const NAME: usize = 1;
const PRICE: usize = 2;
const STOCK: usize = 3;
const NOTE: usize = 4;

fn read(query: &str) -> Result<ListQuery, Problem> {
    parse_as(Product::DESCRIPTOR, query, false)
}

fn parse_as(resource: &'static Descriptor, query: &str, lenient: bool) -> Result<ListQuery, Problem> {
    let context = ListContext {
        resource,
        pagination: resource.pagination,
        view: &FieldVisibility::default(),
        visibility: Visibility::default(),
        limits: QueryLimits::default(),
        takes: LIST,
    };
    parse(context, query, lenient).map(|request| request.query)
}

fn filter(query: &str) -> Predicate {
    read(query).unwrap().filter
}

/// The errors of a query, as `parameter code`.
fn errors(query: &str) -> Vec<String> {
    let problem = read(query).unwrap_err();
    problem
        .errors()
        .iter()
        .map(|error| format!("{} {}", error.to_string().split(": ").next().unwrap(), error.code()))
        .collect()
}

fn compare(column: usize, operator: Comparison, value: Value) -> Predicate {
    Predicate::Compare { column, operator, value }
}

#[test]
fn the_operators_are_those_that_the_derive_reserves() {
    assert_eq!(Operator::ALL.map(|(name, ..)| name), crud_shared::list::OPERATORS);
}

#[test]
fn an_empty_query_is_the_first_page_in_the_default_order() {
    let query = read("").unwrap();
    assert_eq!(query.filter, Predicate::All);
    assert_eq!((query.skip, query.limit), (0, Some(20)));
    // The key follows in the direction of the last field, so that one index serves both.
    let keys: Vec<_> = query.sort.iter().map(|key| (key.column, key.descending)).collect();
    assert_eq!(keys, [(PRICE, true), (ID, true)]);
}

#[test]
fn filters_are_combined_with_and() {
    let expected = Predicate::And(vec![
        compare(PRICE, Comparison::Gt, Value::Float(1.5)),
        compare(PRICE, Comparison::Gt, Value::Float(2.0)),
        Predicate::IsNull { column: NOTE, null: true },
    ]);
    assert_eq!(filter("price__gt=1.5&price__gt=2&note__isnull=true"), expected);
}

#[test]
fn a_field_may_have_two_underscores_in_its_name() {
    let column = Product::DESCRIPTOR.columns.iter().position(|column| column.name == "a_b").unwrap();
    assert_eq!(filter("a__b=1"), compare(column, Comparison::Eq, Value::Int(1)));
    assert_eq!(filter("a__b__lt=1"), compare(column, Comparison::Lt, Value::Int(1)));
}

#[test]
fn names_and_values_are_percent_decoded() {
    assert_eq!(filter("n%61me=a+b%2B%26"), compare(NAME, Comparison::Eq, Value::Text("a b+&".into())));
    assert_eq!(filter("name"), compare(NAME, Comparison::Eq, Value::Text(String::new())));
    assert_eq!(
        filter("&&name__like=%25a%25&"),
        Predicate::Like { column: NAME, pattern: "%a%".into(), ignore_case: false }
    );
    assert_eq!(errors("name=%ff&%ff=1"), ["name encoding", "query encoding"]);
}

#[test]
fn a_list_has_at_most_a_hundred_values() {
    let list = |count: usize| format!("stock__in={}", vec!["1"; count].join(","));
    assert!(read(&list(100)).is_ok());
    assert_eq!(errors(&list(101)), ["stock__in value"]);
}

#[test]
fn filters_and_patterns_are_bounded() {
    let filters = |count: usize| vec!["stock=1"; count].join("&");
    assert!(read(&filters(100)).is_ok());
    assert_eq!(read(&filters(101)).unwrap_err().code(), Code::QueryTooComplex);
    let pattern = |length: usize| format!("name__like={}", "x".repeat(length));
    assert!(read(&pattern(1_000)).is_ok());
    assert_eq!(errors(&pattern(1_001)), ["name__like value"]);
}

#[test]
fn every_mistake_is_reported_at_once() {
    let query = "nme=x&cost__gt=1&price__like=1&price__near=1&stock=70000&stock=x&sort=prize&skip=-1&limit=101";
    assert_eq!(
        errors(query),
        [
            "nme unknown_parameter",
            "cost__gt not_filterable",
            "price__like unknown_operator",
            "price__near unknown_operator",
            "stock value",
            "stock value",
            "sort unknown_field",
            "skip range",
            "limit range",
        ]
    );
}

#[test]
fn the_nearest_spelling_is_named() {
    let detail = |query| read(query).unwrap_err().detail().to_owned();
    assert!(detail("nme=x").ends_with("did you mean `name`?"));
    assert!(detail("price_gt=1").ends_with("did you mean `price__gt`?"));
    assert!(detail("price__gtt=1").ends_with("did you mean `price__gt`?"));
    assert!(detail("sort=prise").ends_with("did you mean `price`?"));
}

#[test]
fn a_hidden_field_is_an_unknown_parameter() {
    assert_eq!(errors("secret=1"), ["secret unknown_parameter"]);
    assert!(!read("secret=1").unwrap_err().detail().contains("did you mean `secret`"));
}

#[test]
fn a_control_parameter_is_given_once() {
    assert_eq!(errors("skip=1&skip=1&limit=1&limit=1"), ["skip duplicate", "limit duplicate"]);
    assert_eq!(errors("sort=name&sort=-name"), ["sort duplicate"]);
    assert_eq!(errors("sort=name,-name"), ["sort duplicate"]);
    assert_eq!(errors("sort="), ["sort unknown_field"]);
    assert_eq!(errors("limit=0&skip=x"), ["limit range", "skip type"]);
}

#[test]
fn a_limit_above_the_maximum_is_clamped() {
    let limit =
        |text: &str| parse_as(Clamped::DESCRIPTOR, &format!("limit={text}"), false).map(|query| query.limit.unwrap());
    assert_eq!(limit("51").unwrap(), 50);
    assert_eq!(limit("99999999999999999999").unwrap(), 50);
    assert!(limit("0").is_err());
    assert!(limit("-99999999999999999999").is_err());
}

/// A resource whose large limits are clamped.
#[derive(Resource)]
#[crud(pagination(max_limit = 50, over_limit(clamp)))]
struct Clamped {
    id: i64,
}

#[test]
fn without_query_options_every_parameter_is_unknown() {
    let query = parse_as(Plain::DESCRIPTOR, "", false).unwrap();
    assert_eq!(query.limit, None);
    for parameter in ["id=1", "sort=id", "skip=1", "limit=1", "name=x"] {
        assert!(parse_as(Plain::DESCRIPTOR, parameter, false).is_err(), "{parameter}");
    }
}

/// A resource without query features.
#[derive(Resource)]
struct Plain {
    id: i64,
    name: String,
}

#[test]
fn lenient_handling_ignores_unknown_parameters_alone() {
    assert_eq!(parse_as(Product::DESCRIPTOR, "nme=x&utm_source=mail", true).unwrap().filter, Predicate::All);
    assert!(parse_as(Product::DESCRIPTOR, "stock=x", true).is_err());
    assert!(parse_as(Product::DESCRIPTOR, "cost=1", true).is_err());
}

#[test]
fn errors_past_the_maximum_are_counted_and_not_listed() {
    let query = "x=1&".repeat(1_000);
    let problem = read(&query).unwrap_err();
    assert_eq!(problem.errors().len(), FieldErrors::LISTED);
    assert!(problem.detail().ends_with("(and 999 more errors)"));
}

#[test]
fn an_integer_outside_its_kinds_range_is_refused() {
    assert_eq!(filter("stock=-32768"), compare(STOCK, Comparison::Eq, Value::Int(-32768)));
    assert_eq!(errors("stock=32768"), ["stock value"]);
}
