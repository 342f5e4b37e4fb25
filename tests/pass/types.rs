//! Every field type, and `Option` of each.

use crud_runtime::column::{ColumnError, Kind, Value, ValueRef};
use crud_runtime::prelude::*;

/// A user's type.
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

#[derive(ResourceEnum)]
enum Size {
    Small,
}

#[derive(Resource)]
struct Everything {
    id: i64,
    a: bool,
    b: i16,
    c: i32,
    d: i64,
    e: u32,
    f: f32,
    g: f64,
    h: String,
    i: DateTime<Utc>,
    j: NaiveDate,
    k: NaiveTime,
    l: NaiveDateTime,
    m: Uuid,
    n: Decimal,
    o: serde_json::Value,
    p: Vec<u8>,
    q: Vec<String>,
    r: Size,
    s: Sku,
}

#[derive(Resource)]
struct Nullable {
    id: i64,
    a: Option<bool>,
    b: Option<i16>,
    c: Option<i32>,
    d: Option<i64>,
    e: Option<u32>,
    f: Option<f32>,
    g: Option<f64>,
    h: Option<String>,
    i: Option<DateTime<Utc>>,
    j: Option<NaiveDate>,
    k: Option<NaiveTime>,
    l: Option<NaiveDateTime>,
    m: Option<Uuid>,
    n: std::option::Option<Decimal>,
    o: Option<serde_json::Value>,
    p: Option<Vec<u8>>,
    q: core::option::Option<Vec<String>>,
    r: Option<Size>,
    s: Option<Sku>,
}

const KINDS: [Kind; 20] = [
    Kind::I64,
    Kind::Bool,
    Kind::I16,
    Kind::I32,
    Kind::I64,
    Kind::U32,
    Kind::F32,
    Kind::F64,
    Kind::Text,
    Kind::DateTime,
    Kind::Date,
    Kind::Time,
    Kind::NaiveDateTime,
    Kind::Uuid,
    Kind::Decimal,
    Kind::Json,
    Kind::Bytes,
    Kind::TextList,
    Kind::Enum(&["Small"]),
    Kind::Text,
];

#[test]
fn each_type_has_its_kind() {
    let kinds: Vec<Kind> = Everything::DESCRIPTOR.columns.iter().map(|column| column.kind).collect();
    assert_eq!(kinds, KINDS);
    assert!(Everything::DESCRIPTOR.columns.iter().all(|column| !column.nullable));
}

#[test]
fn option_is_nullable() {
    let kinds: Vec<Kind> = Nullable::DESCRIPTOR.columns.iter().map(|column| column.kind).collect();
    assert_eq!(kinds, KINDS);
    assert!(Nullable::DESCRIPTOR.columns.iter().skip(1).all(|column| column.nullable));
    assert!(!Nullable::DESCRIPTOR.id_column().nullable);
}

#[test]
fn nullable_fields_are_optional_on_create() {
    let new = NewNullable::new().h("a").s(Sku("b".to_owned())).r(Size::Small);
    let changes = crud_runtime::adapter::Changes::from(new);
    assert_eq!(changes.get(8), Some(&Value::Text("a".to_owned())));
    assert_eq!(changes.get(18), Some(&Value::Text("Small".to_owned())));
    assert_eq!(changes.get(19), Some(&Value::Text("b".to_owned())));
    assert_eq!(changes.get(1), Some(&Value::Null));
}

#[test]
fn types_from_a_macro_are_recognised() {
    macro_rules! record {
        ($name:ident, $id:ty, $text:ty) => {
            #[derive(Resource)]
            struct $name {
                id: $id,
                #[crud(length(max = 5))]
                name: $text,
            }
        };
    }
    record!(Made, i64, Option<String>);

    assert!(super::column::<Made>("name").nullable);
    let _ = NewMade::new().name("a");
}
