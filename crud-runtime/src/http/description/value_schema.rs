//! The schemas of single values: of a field's kind, of a key, of a parameter.

use super::json_schema::Schema;
use super::operation_doc::{ParameterObject, Place};
use super::wording::sentence;
use super::{rule, sample};
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};
use crate::model::list_text::item_column;
use crate::model::value::Kind;

/// The largest single-precision float as JSON has it: rounded up.
const F32_MAX: f64 = 3.402_823_5e38;
/// Base64 with padding and zero pad bits (RFC 4648 section 3.5).
const BASE64: &str = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$";
/// Seconds with at most six significant fraction digits; no leap second.
const SECONDS: &str = r"[0-5][0-9](\.[0-9]{1,6}0*)?";

/// The direction of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// In a request: every accepted form.
    Request,
    /// In a response: the one canonical form.
    Response,
}

/// Whether the column is a text that is a whole segment of a path.
pub(super) fn is_path_text(column: &ColumnDescriptor) -> bool {
    column.role == Role::Id && !column.is_managed() && !column.given && column.kind == Kind::Text
}

/// The record's key, in the path.
pub(crate) fn id_parameter(descriptor: &Descriptor) -> ParameterObject {
    let schema = key_schema(descriptor);
    let id = |description, schema| ParameterObject::new(Place::Path, "id", description, schema);
    let [column] = descriptor.key() else {
        return id(format!("The key of the record: {}", parts_of_key(descriptor)), schema);
    };
    let column = &descriptor.columns[*column];
    let description = format!("The `{}` of the record.", column.json);
    if is_path_text(column) {
        return id(description, schema.with("minLength", 1));
    }
    // Inline: Swagger UI draws the parameters of a path before it resolves them.
    id(description, schema)
}

/// A key as a value; a composite key is its text.
pub(crate) fn key_schema(descriptor: &Descriptor) -> Schema {
    match descriptor.key() {
        [column] => value_schema(&descriptor.columns[*column]),
        columns => {
            let text = Schema::text().about(&sentence(&parts_of_key(descriptor)));
            text.with("pattern", format!("^[^,]*(,[^,]*){{{}}}$", columns.len().saturating_sub(1)))
        }
    }
}

/// The parts of the text of a composite key.
fn parts_of_key(descriptor: &Descriptor) -> String {
    let names = descriptor.key_names().replace(',', "`,`");
    format!("`{names}`, each percent-encoded, with commas between them.")
}

/// A value in the result of an aggregate.
pub(crate) fn result(column: &ColumnDescriptor) -> Schema {
    field_schema(column, kind_schema(column, Direction::Response)).about(column.doc)
}

/// A single value in a query string or a path: any value of the field's kind, whatever its rules.
pub(crate) fn value_schema(column: &ColumnDescriptor) -> Schema {
    kind_schema(column, Direction::Request)
}

/// A parameter of a route of the program: a value of the field's kind that its rules allow.
pub(crate) fn parameter(column: &ColumnDescriptor) -> Schema {
    let mut schema = kind_schema(column, Direction::Request);
    rule::apply(&mut schema, column);
    if let Some(default) = column.default {
        schema.set("default", sample::json(column, default().borrow()));
    }
    schema
}

/// The name of a kind whose values have a schema in the components.
pub(crate) fn kind_name(column: &ColumnDescriptor) -> Option<String> {
    Some(match column.kind {
        Kind::I16 => "Int16".to_owned(),
        Kind::I32 => "Int32".to_owned(),
        Kind::I64 => "Int64".to_owned(),
        Kind::U32 => "UInt32".to_owned(),
        Kind::F32 => "Float".to_owned(),
        Kind::F64 => "Double".to_owned(),
        Kind::Text if column.schema.is_some() => return None,
        Kind::Text => "Text".to_owned(),
        Kind::DateTime => "DateTime".to_owned(),
        Kind::Date => "Date".to_owned(),
        Kind::Time => "Time".to_owned(),
        Kind::NaiveDateTime => "LocalDateTime".to_owned(),
        Kind::Uuid => "Uuid".to_owned(),
        Kind::Decimal => format!("Decimal{}Scale{}", column.precision, column.scale),
        Kind::Bytes => "Bytes".to_owned(),
        Kind::Bool | Kind::Enum(_) | Kind::Json | Kind::TextList | Kind::List(_) => return None,
    })
}

/// The name of a component, such as `price__gt.Double`; `None` where its parts have characters that names may not have.
pub(crate) fn component_name(parts: &[&str]) -> Option<String> {
    let name = parts.join(".");
    let is_legal = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    is_legal.then_some(name)
}

/// The schema of a kind's values other than null.
pub(super) fn kind_schema(column: &ColumnDescriptor, direction: Direction) -> Schema {
    let is_response = direction == Direction::Response;
    let text = |format: &str| Schema::text().with("format", format);
    match column.kind {
        Kind::Bool => Schema::boolean(),
        Kind::I16 => integer_schema(column.kind, "int16"),
        Kind::I32 => integer_schema(column.kind, "int32"),
        Kind::I64 => integer_schema(column.kind, "int64"),
        Kind::U32 => integer_schema(column.kind, "uint32"),
        Kind::F32 => Schema::number().with("format", "float").with("minimum", -F32_MAX).with("maximum", F32_MAX),
        Kind::F64 => Schema::number().with("format", "double"),
        Kind::Text if column.schema.is_some() => column.schema.map_or_else(Schema::text, of_type),
        Kind::Text if is_response => Schema::text(),
        Kind::Text => Schema::plain_text(),
        Kind::Enum(texts) => Schema::choice(texts.iter().copied()),
        Kind::DateTime => Schema::date_time().with("pattern", date_time_pattern(direction)),
        Kind::Date => text("date"),
        Kind::Time => text("time-local").with("pattern", time_pattern(direction)),
        Kind::NaiveDateTime => text("date-time-local").with("pattern", naive_date_time_pattern(direction)),
        Kind::Uuid => text("uuid"),
        Kind::Decimal => text("decimal").with("pattern", decimal_pattern(column)),
        Kind::Json if is_response => column.schema.map_or_else(Schema::any, of_type),
        Kind::Json => Schema::any(),
        Kind::Bytes if is_response => Schema::text().with("contentEncoding", "base64"),
        Kind::Bytes => Schema::text().with("contentEncoding", "base64").with("pattern", BASE64),
        Kind::TextList if is_response => Schema::array(Schema::text()),
        Kind::TextList => Schema::array(Schema::plain_text()),
        Kind::List(_) => Schema::array(kind_schema(&item_column(column), direction)),
    }
}

/// The schema of a type's values, from its text. It is a component where its title is a legal name of one.
fn of_type(text: &str) -> Schema {
    let schema = serde_json::from_str::<serde_json::Value>(text).map(Schema::from).unwrap_or_default();
    match schema.get("title").and_then(|title| component_name(&[title.as_str()?])) {
        Some(name) => Schema::named(&name, schema),
        None => schema,
    }
}

/// The schema of a field, with null where it is nullable, its deprecation, and the description of its type.
pub(super) fn field_schema(column: &ColumnDescriptor, schema: Schema) -> Schema {
    let is_reference = schema.get("$ref").is_some();
    let schema = match column.is_returned_nullable() {
        true if is_reference => schema.or_null(),
        true => schema.nullable(),
        false => schema,
    };
    let schema = if column.deprecated { schema.with("deprecated", true) } else { schema };
    column.schema_keywords().into_iter().fold(schema, |schema, (name, value)| schema.with(&name, value))
}

fn integer_schema(kind: Kind, format: &str) -> Schema {
    let (min, max) = kind.integer_range().unwrap_or((i64::MIN, i64::MAX));
    Schema::integer().with("format", format).with("minimum", min).with("maximum", max)
}

fn date_time_pattern(direction: Direction) -> String {
    match direction {
        Direction::Response => r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$".to_owned(),
        Direction::Request => {
            format!(
                r"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[Tt][0-9]{{2}}:[0-9]{{2}}:{SECONDS}([Zz]|[+-][0-9]{{2}}:[0-9]{{2}})$"
            )
        }
    }
}

/// The pattern of a date and time. It knows how many days each month has, and allows February 29 in every year.
fn naive_date_time_pattern(direction: Direction) -> String {
    let long = "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])";
    let short = "(0[469]|11)-(0[1-9]|[12][0-9]|30)";
    let february = "02-(0[1-9]|[12][0-9])";
    format!("^[0-9]{{4}}-({long}|{short}|{february})T{}", &time_pattern(direction)[1..])
}

fn time_pattern(direction: Direction) -> String {
    match direction {
        Direction::Response => r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}$".to_owned(),
        Direction::Request => format!("^([01][0-9]|2[0-3]):[0-5][0-9]:{SECONDS}$"),
    }
}

/// The pattern of a decimal, with any number of trailing zeros.
fn decimal_pattern(column: &ColumnDescriptor) -> String {
    let whole = match column.precision.saturating_sub(column.scale) {
        0 => "0".to_owned(),
        1 => "[0-9]".to_owned(),
        digits => format!("(0|[1-9][0-9]{{0,{}}})", digits - 1),
    };
    match column.scale {
        0 => format!(r"^-?{whole}(\.0+)?$"),
        scale => format!(r"^-?{whole}(\.[0-9]{{1,{scale}}}0*)?$"),
    }
}
