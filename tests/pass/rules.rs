//! `range`, `length`, `validate`, `decimal`.

use std::fmt;

use crud_runtime::column::{ColumnError, Kind, Value, ValueRef};
use crud_runtime::descriptor::{Literal, Rule};
use crud_runtime::prelude::*;

#[derive(Resource)]
struct Thing {
    id: i64,
    #[crud(range(min = -5, max = 5))]
    integer: i16,
    #[crud(range(min = 0.5, max = 1e3))]
    float: Option<f64>,
    #[crud(range(min = 1, max = 2.5))]
    decimal: Decimal,
    #[crud(length(min = 1, max = 5))]
    text: String,
    #[crud(length(min = 2))]
    words: Vec<String>,
    #[crud(length(max = 9))]
    photo: Option<Vec<u8>>,
    #[crud(validate(pattern = r"^[a-z]+$"))]
    code: String,
    #[crud(validate(email))]
    mail: Option<String>,
    #[crud(validate(url), length(max = 100))]
    page: String,
    #[crud(validate(one_of("a", "b")))]
    letter: String,
    #[crud(validate(one_of(1, 2.5, -3)))]
    number: Option<f64>,
    #[crud(unique)]
    name: String,
    #[crud(unique, length(max = 1000))]
    long: Option<String>,
    #[crud(decimal(10, 2))]
    price: Decimal,
    #[crud(decimal(3))]
    short: Option<Decimal>,
}

fn rules(name: &str) -> &'static [Rule] {
    super::column::<Thing>(name).rules
}

#[test]
fn every_rule_is_in_the_descriptor() {
    assert!(matches!(rules("integer"), [Rule::Min(Literal::Int(-5)), Rule::Max(Literal::Int(5))]));
    assert!(matches!(rules("float"), [Rule::Min(Literal::Float(_)), Rule::Max(Literal::Float(_))]));
    assert!(matches!(rules("decimal"), [Rule::Min(Literal::Int(1)), Rule::Max(Literal::Float(_))]));
    assert!(matches!(rules("text"), [Rule::MinLength(1), Rule::MaxLength(5)]));
    assert!(matches!(rules("words"), [Rule::MinLength(2)]));
    assert!(matches!(rules("photo"), [Rule::MaxLength(9)]));
    assert!(matches!(rules("code"), [Rule::Pattern("^[a-z]+$")]));
    assert!(matches!(rules("mail"), [Rule::Email]));
    assert!(matches!(rules("page"), [Rule::Url, Rule::MaxLength(100)]));
    assert!(matches!(rules("letter"), [Rule::OneOf([Literal::Text("a"), Literal::Text("b")])]));
    assert!(matches!(rules("number"), [Rule::OneOf([Literal::Int(1), Literal::Float(_), Literal::Int(-3)])]));
}

#[test]
fn unique_text_has_a_maximum_length() {
    assert!(matches!(rules("name"), [Rule::MaxLength(255)]));
    assert!(matches!(rules("long"), [Rule::MaxLength(1000)]));
}

#[test]
fn decimals_have_precision_and_scale() {
    let digits = |name: &str| {
        let column = super::column::<Thing>(name);
        (column.precision, column.scale)
    };
    assert_eq!((digits("decimal"), digits("price"), digits("short")), ((18, 4), (10, 2), (3, 3)));
}

/// A user's error type.
struct TooLoud;

impl fmt::Display for TooLoud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must not shout")
    }
}

fn quiet(text: &str) -> Result<(), TooLoud> {
    if text.chars().any(char::is_lowercase) { Ok(()) } else { Err(TooLoud) }
}

mod checks {
    pub(super) fn even(number: &i64) -> Result<(), String> {
        if number % 2 == 0 { Ok(()) } else { Err(format!("{number} is odd")) }
    }

    pub(super) fn small(number: &i64) -> Result<(), &'static str> {
        if *number < 100 { Ok(()) } else { Err("must be small") }
    }

    pub(super) fn few(words: &[String]) -> Result<(), &'static str> {
        if words.len() < 3 { Ok(()) } else { Err("must be few") }
    }
}

#[derive(Resource)]
struct Checked {
    id: i64,
    #[crud(validate(custom(quiet)))]
    name: Option<String>,
    #[crud(validate(custom(checks::even), custom(self::checks::small)))]
    number: i64,
    #[crud(validate(custom(checks::few)))]
    words: Vec<String>,
}

fn run_checks(name: &str, value: ValueRef<'_>) -> Vec<Result<(), String>> {
    let check = |rule: &Rule| match rule {
        Rule::Custom(check) => check(value),
        other => panic!("{other:?} is not a custom check"),
    };
    super::column::<Checked>(name).rules.iter().map(check).collect()
}

#[test]
fn custom_check_receives_the_dereferenced_value() {
    assert_eq!(run_checks("name", ValueRef::Text("Chair")), [Ok(())]);
    assert_eq!(run_checks("name", ValueRef::Text("CHAIR")), [Err("must not shout".to_owned())]);
    assert_eq!(run_checks("words", ValueRef::TextList(&[])), [Ok(())]);
}

#[test]
fn several_custom_checks_all_run() {
    let errors = [Err("101 is odd".to_owned()), Err("must be small".to_owned())];
    assert_eq!(run_checks("number", ValueRef::Int(101)), errors);
}

/// A user's text type, which accepts the rules of text.
struct Sku(String);

impl Column for Sku {
    const KIND: Kind = Kind::Text;

    fn into_value(self) -> Value {
        Value::Text(self.0)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
        String::from_value(value).map(Self)
    }
}

#[test]
fn custom_type_accepts_the_rules_of_its_kind() {
    #[derive(Resource)]
    #[crud(filter(sku), sort, default_sort(sku))]
    struct Coded {
        id: i64,
        #[crud(length(min = 3), validate(pattern = "^[A-Z]", one_of("ABC")), unique)]
        sku: Sku,
    }

    assert_eq!(super::column::<Coded>("sku").rules.len(), 3);
}
