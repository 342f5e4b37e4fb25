//! Resources with every field type, rule and option.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use crud_runtime::column::{ColumnError, Kind, Value, ValueRef};
use crud_runtime::descriptor::{ColumnDescriptor, Descriptor, Literal, Operation, Operations, Pagination, Role, Rule};
use crud_runtime::{Column, ResourceOptions};
use rust_decimal::Decimal;
use uuid::Uuid;

struct Sku(String);

impl Column for Sku {
    const KIND: Kind = Kind::Text;

    fn into_value(self) -> Value {
        Value::Text(self.0)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
        let text = String::from_value(value)?;
        if text.starts_with("SKU-") { Ok(Self(text)) } else { Err(ColumnError::new("must start with SKU-")) }
    }
}

struct Priority(String);

impl Column for Priority {
    const KIND: Kind = Kind::Enum(&["Low", "High"]);

    fn into_value(self) -> Value {
        Value::Text(self.0)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
        String::from_value(value).map(Self)
    }
}

macro_rules! column {
    ($name:literal: $type:ty) => {
        ColumnDescriptor::new::<$type>($name, $name, concat!("\"", $name, "\":"), $name)
    };
}

/// Every field type, required; filterable and sortable where supported.
static DENSE: Descriptor = Descriptor::new(
    "Dense",
    "kitchen",
    "/dense",
    "dense",
    {
        const COLUMNS: &[ColumnDescriptor] = &[
            column!("id": Uuid).role(Role::Id),
            column!("boolean": bool).filterable().sortable(),
            column!("short": i16).filterable().sortable(),
            column!("int": i32).filterable().sortable(),
            column!("long": i64).filterable().sortable(),
            column!("unsigned": u32).filterable().sortable(),
            column!("single": f32).filterable().sortable(),
            column!("double": f64).filterable().sortable(),
            column!("text": String).filterable().sortable(),
            column!("instant": DateTime<Utc>).filterable().sortable(),
            column!("date": NaiveDate).filterable().sortable(),
            column!("time": NaiveTime).filterable().sortable(),
            column!("local": NaiveDateTime).filterable().sortable(),
            column!("uuid": Uuid).filterable().sortable(),
            column!("decimal": Decimal).filterable().sortable(),
            column!("json": serde_json::Value),
            column!("bytes": Vec<u8>),
            column!("texts": Vec<String>),
            column!("priority": Priority).filterable().sortable(),
        ];
        COLUMNS
    },
    0,
)
.pagination(Pagination::new(2, 3).clamp());

/// Every field type, nullable, with rules; without pagination.
static SPARSE: Descriptor = Descriptor::new(
    "Sparse",
    "kitchen",
    "/v1/sparse-things",
    "sparse",
    {
        const COLUMNS: &[ColumnDescriptor] = &[
            column!("slug": String).role(Role::Id),
            column!("integer": Option<i32>).rules(&[Rule::Min(Literal::Int(-5)), Rule::Max(Literal::Int(10))]),
            column!("float": Option<f32>).rules(&[Rule::Min(Literal::Int(0)), Rule::Max(Literal::Float(0.5))]),
            column!("decimal": Option<Decimal>)
                .rules(&[Rule::Min(Literal::Int(0)), Rule::Max(Literal::Int(100))])
                .digits(6, 2),
            column!("whole": Option<Decimal>).digits(3, 0),
            column!("fraction": Option<Decimal>).digits(4, 4),
            column!("text": Option<String>).rules(&[Rule::MinLength(2), Rule::MaxLength(4)]).filterable(),
            column!("json": Option<serde_json::Value>),
            column!("bytes": Option<Vec<u8>>).rules(&[Rule::MinLength(1), Rule::MaxLength(3)]),
            column!("list": Option<Vec<String>>).rules(&[Rule::MinLength(1), Rule::MaxLength(2)]),
            column!("code": Option<String>).rules(&[Rule::Pattern("^[A-Z]{3}-[0-9]+$")]),
            column!("somewhere": Option<String>).rules(&[Rule::Pattern("b+")]),
            column!("several": Option<String>).rules(&[Rule::MinLength(3), Rule::Pattern("^[a-z]*$")]),
            column!("email": Option<String>).rules(&[Rule::Email]),
            column!("url": Option<String>).rules(&[Rule::Url]),
            column!("size": Option<String>).rules(&[Rule::OneOf(&[Literal::Text("small"), Literal::Text("large")])]),
            column!("factor": Option<i32>)
                .rules(&[Rule::OneOf(&[Literal::Int(1), Literal::Int(2), Literal::Int(4)])])
                .filterable(),
            column!("even": Option<i64>).rules(&[Rule::Custom(|value| match value {
                ValueRef::Int(value) if value % 2 == 0 => Ok(()),
                _ => Err("must be even".to_owned()),
            })]),
            column!("sku": Option<Sku>),
            column!("priority": Option<Priority>).filterable(),
            column!("local": Option<NaiveDateTime>).filterable(),
            column!("day": Option<NaiveDate>),
            column!("boolean": bool).default(|| Value::Bool(false)),
            column!("single": f32).default(|| Value::Float(f64::from(0.1_f32))),
        ];
        COLUMNS
    },
    0,
)
.doc("A thing that may have much or little.\n\nMost have little.");

/// Every kind of field visibility.
static ACCOUNT: Descriptor = Descriptor::new(
    "Account",
    "kitchen",
    "/accounts",
    "accounts",
    {
        const COLUMNS: &[ColumnDescriptor] = &[
            column!("id": i32).role(Role::Id),
            ColumnDescriptor::new::<String>("login", "a/b~c", "\"a/b~c\":", "login").immutable().sortable(),
            column!("password": String).doc("What only the owner knows.").write_only(),
            column!("score": i64).read_only().default(|| Value::Int(7)),
            column!("secret": Option<String>).hidden(),
        ];
        COLUMNS
    },
    0,
)
.tags(&["people", "Service"]);

/// Named like a component of the document, with few operations.
static PROBLEM: Descriptor = Descriptor::new(
    "Problem",
    "kitchen::trouble",
    "/problems",
    "problems",
    {
        const COLUMNS: &[ColumnDescriptor] = &[column!("id": i64).role(Role::Id), column!("sku": Sku)];
        COLUMNS
    },
    0,
)
.operations(Operations::NONE.with(Operation::List).with(Operation::Create));

pub(crate) fn resources() -> Vec<ResourceOptions> {
    let mut resources: Vec<_> = [&DENSE, &SPARSE, &ACCOUNT].map(ResourceOptions::new).into();
    resources.push(ResourceOptions::new(&PROBLEM).api_name("Trouble"));
    resources.push(
        ResourceOptions::new(&ACCOUNT)
            .prefix("/v2/accounts")
            .api_name("FormerAccount")
            .tags(["Old accounts"])
            .max_limit(5),
    );
    resources
}
