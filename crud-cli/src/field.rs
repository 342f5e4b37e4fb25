//! The grammar of `--fields`: `name:type[?][!][=default]`, separated by commas.

use anyhow::{Context, Result, bail};
use crud_shared::spelling;

use crate::names;

/// A field of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    /// The name in the struct.
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) nullable: bool,
    pub(crate) unique: bool,
    pub(crate) default: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    Text,
    /// The type in Rust, such as `i64`.
    Int(&'static str),
    /// The type in Rust: `f64` or `f32`.
    Float(&'static str),
    Bool,
    DateTime,
    Date,
    Uuid,
    Decimal,
    Json,
    Bytes,
    /// The values, as in JSON.
    Enum(Vec<String>),
    /// The model that the field refers to.
    Ref(String),
}

/// The types, as help and errors list them. [`parse_type`] takes other usual names too.
const TYPES: &[&str] = &[
    "str",
    "text",
    "int",
    "float",
    "bool",
    "datetime",
    "date",
    "uuid",
    "decimal",
    "json",
    "bytes",
    "enum(a|b)",
    "ref(Model)",
];

impl Field {
    /// Whether the service sets the field: the time of creation or of the last change.
    pub(crate) fn is_managed(&self) -> bool {
        self.ty == Type::DateTime && ["created_at", "updated_at"].contains(&self.name.as_str())
    }

    /// Whether a create must set the field.
    pub(crate) fn is_required(&self) -> bool {
        !self.nullable && self.default.is_none() && !self.is_managed()
    }

    /// Whether lists can be filtered and sorted by the field.
    pub(crate) fn is_comparable(&self) -> bool {
        !matches!(self.ty, Type::Json | Type::Bytes)
    }

    /// The model that the field refers to.
    pub(crate) fn target(&self) -> Option<&str> {
        match &self.ty {
            Type::Ref(target) => Some(target),
            _ => None,
        }
    }
}

/// Parses the fields of a model. The error lists every field that is wrong, such as one with a repeated name.
pub(crate) fn parse(text: &str) -> Result<Vec<Field>> {
    let (mut fields, mut wrong): (Vec<Field>, Vec<String>) = (Vec::new(), Vec::new());
    for item in split(text)? {
        match parse_field(item).with_context(|| format!("field `{item}`")) {
            Err(error) => wrong.push(format!("{error:#}")),
            Ok(field) if fields.iter().any(|other| other.name == field.name) => {
                wrong.push(format!("duplicate field `{}`: remove one", field.name));
            }
            Ok(field) => fields.push(field),
        }
    }
    all_right(&wrong)?;
    Ok(fields)
}

/// One error that lists all problems, if there are any.
pub(crate) fn all_right(wrong: &[String]) -> Result<()> {
    if wrong.is_empty() { Ok(()) } else { bail!("{}", wrong.join("; ")) }
}

/// The items between commas. Commas in parentheses or quotes do not separate.
fn split(text: &str) -> Result<Vec<&str>> {
    let (opened, closed) = (text.matches('(').count(), text.matches(')').count());
    if opened != closed {
        bail!("`{text}` has {opened} `(` and {closed} `)`");
    }
    let mut items = Vec::new();
    let mut rest = Some(text);
    while let Some(text) = rest {
        let (item, after) = split_outside(text, ',');
        items.push(item.trim());
        rest = after;
    }
    if items.contains(&"") {
        bail!("a field is missing in `{text}`: expected fields such as `title:str,pages:int`");
    }
    Ok(items)
}

fn parse_field(item: &str) -> Result<Field> {
    let (head, default) = split_outside(item, '=');
    let (head, nullable, unique) = modifiers(head.trim())?;
    let (name, ty) = split_outside(head, ':');
    let (name, ty) = (name.trim(), parse_type(ty.unwrap_or("str").trim())?);
    names::field(name)?;
    if name == "id" {
        bail!("every model has the key `id`: remove it");
    }
    let name = match &ty {
        Type::Ref(_) if !name.ends_with("_id") => format!("{name}_id"),
        _ => name.to_owned(),
    };
    let field = Field { name, ty, nullable, unique, default: default.map(|default| unquoted(default).to_owned()) };
    if field.is_managed() && (nullable || unique || field.default.is_some()) {
        bail!("the service sets this field: remove `?`, `!` and the default");
    }
    if unique && !field.is_comparable() {
        bail!("values of this type cannot be compared, so they cannot be unique: remove `!`");
    }
    Ok(field)
}

/// Splits a text at the first such character outside of parentheses and quotes.
fn split_outside(text: &str, separator: char) -> (&str, Option<&str>) {
    let (mut depth, mut quoted) = (0_usize, false);
    for (position, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if c == separator && depth == 0 => return (&text[..position], Some(&text[position + c.len_utf8()..])),
            _ => {}
        }
    }
    (text, None)
}

/// A default without its quotes.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// Strips `?` and `!` from the end.
fn modifiers(mut head: &str) -> Result<(&str, bool, bool)> {
    let (mut nullable, mut unique) = (false, false);
    loop {
        let (seen, rest) = match (head.strip_suffix('?'), head.strip_suffix('!')) {
            (Some(rest), _) => (&mut nullable, rest),
            (_, Some(rest)) => (&mut unique, rest),
            (None, None) => return Ok((head, nullable, unique)),
        };
        if std::mem::replace(seen, true) {
            bail!("`?` and `!` can each stand once");
        }
        head = rest.trim_end();
    }
}

fn parse_type(text: &str) -> Result<Type> {
    let (word, argument) = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        Some((word, argument)) => (word.trim(), Some(argument.trim())),
        None => (text, None),
    };
    Ok(match (word, argument) {
        ("str" | "text" | "string" | "String" | "varchar", None) => Type::Text,
        ("int" | "integer" | "bigint" | "i64", None) => Type::Int("i64"),
        ("i32", None) => Type::Int("i32"),
        ("smallint" | "i16", None) => Type::Int("i16"),
        ("u32", None) => Type::Int("u32"),
        ("float" | "double" | "number" | "f64", None) => Type::Float("f64"),
        ("f32", None) => Type::Float("f32"),
        ("bool" | "boolean", None) => Type::Bool,
        ("datetime" | "timestamp" | "timestamptz" | "DateTime" | "DateTime<Utc>", None) => Type::DateTime,
        ("date" | "NaiveDate", None) => Type::Date,
        ("uuid" | "Uuid", None) => Type::Uuid,
        ("decimal" | "numeric" | "Decimal", None) => Type::Decimal,
        ("json" | "jsonb" | "Value" | "serde_json::Value", None) => Type::Json,
        ("bytes" | "blob" | "bytea" | "Vec<u8>", None) => Type::Bytes,
        ("enum", Some(values)) => Type::Enum(parse_values(values)?),
        ("ref", Some(model)) => Type::Ref(names::model(model)?),
        ("enum", None) => bail!("expected an `enum` with its values: `enum(draft|sold)`"),
        ("ref", None) => bail!("expected a `ref` with its model: `ref(Category)`"),
        _ => {
            let words = TYPES.iter().map(|name| name.split('(').next().unwrap_or(name));
            let hint = match spelling::nearest(word, words) {
                Some(near) => spelling::hint(near, TYPES.iter().copied().filter(|name| name.starts_with(near))),
                None => format!("expected {}", spelling::alternatives(TYPES.iter().copied())),
            };
            bail!("there is no type `{text}`: {hint}")
        }
    })
}

fn parse_values(text: &str) -> Result<Vec<String>> {
    let values: Vec<String> = text.split('|').map(|value| value.trim().to_owned()).collect();
    let mut variants: Vec<String> = Vec::new();
    for value in &values {
        let variant = names::camel(value);
        if !variant.starts_with(|c: char| c.is_ascii_alphabetic()) || !variant.is_ascii() || variant == "Self" {
            bail!("`{value}` is not a valid value of an enum: expected a letter first, as in `enum(draft|sold)`");
        }
        if variants.contains(&variant) {
            bail!("`{value}` is twice in the enum, or has the same variant name as another value");
        }
        variants.push(variant);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Field {
        parse(text).expect("a field").remove(0)
    }

    fn error(text: &str) -> String {
        format!("{:#}", parse(text).expect_err("a mistake"))
    }

    #[test]
    fn a_field_has_a_name_a_type_modifiers_and_a_default() {
        let text =
            |name: &str| Field { name: name.to_owned(), ty: Type::Text, nullable: false, unique: false, default: None };
        assert_eq!(one("name"), text("name"));
        assert_eq!(one("name:text"), text("name"));
        assert_eq!(
            one("sku:str?!=a b"),
            Field { nullable: true, unique: true, default: Some("a b".to_owned()), ..text("sku") }
        );
        assert_eq!(one("sku!?"), Field { nullable: true, unique: true, ..text("sku") });
        assert_eq!(one("url=http://x"), Field { default: Some("http://x".to_owned()), ..text("url") });
    }

    #[test]
    fn commas_in_parentheses_do_not_separate() {
        let fields = parse(" state : enum( draft | in_stock ) = draft , category:ref(Category)?, owner_id:ref(User)");
        let fields = fields.expect("fields");
        assert_eq!(fields[0].ty, Type::Enum(vec!["draft".to_owned(), "in_stock".to_owned()]));
        assert_eq!(fields[0].default.as_deref(), Some("draft"));
        assert_eq!((fields[1].name.as_str(), fields[1].nullable), ("category_id", true));
        assert_eq!(fields[2].name, "owner_id");
        assert_eq!(one("greeting=\"hello, you\",b").default.as_deref(), Some("hello, you"));
    }

    #[test]
    fn usual_names_of_types_are_taken() {
        for (names, ty) in [
            (&["str", "string", "String", "varchar"][..], Type::Text),
            (&["int", "integer", "i64"], Type::Int("i64")),
            (&["i32"], Type::Int("i32")),
            (&["float", "f64", "double"], Type::Float("f64")),
            (&["boolean"], Type::Bool),
            (&["timestamp", "DateTime<Utc>"], Type::DateTime),
            (&["numeric"], Type::Decimal),
        ] {
            for name in names {
                assert_eq!(one(&format!("a:{name}")).ty, ty, "{name}");
            }
        }
    }

    #[test]
    fn every_wrong_field_is_reported() {
        let expected = "field `a:strr`: there is no type `strr`: did you mean `str`?; duplicate field `b`: remove one; \
                        field `id:int`: every model has the key `id`: remove it";
        assert_eq!(error("a:strr,b,b,c,id:int"), expected);
    }

    #[test]
    fn mistakes_are_reported_with_the_nearest_spelling() {
        assert_eq!(error("a:strr"), "field `a:strr`: there is no type `strr`: did you mean `str`?");
        assert_eq!(error("a:enumm(x)"), "field `a:enumm(x)`: there is no type `enumm(x)`: did you mean `enum(a|b)`?");
        assert!(error("a:colour").contains("expected `str`, `text`"), "{}", error("a:colour"));
        assert_eq!(error("a:enum"), "field `a:enum`: expected an `enum` with its values: `enum(draft|sold)`");
        assert!(error("a:ref()").contains("not a valid model name"), "{}", error("a:ref()"));
        assert!(error("a:enum(x|X)").contains("twice"));
        assert!(error("a:enum(1st)").contains("expected a letter first"));
        assert!(error("a:str(5)").contains("no type `str(5)`"));
        assert!(error("a,b,a").contains("duplicate field `a`"));
        assert!(error("a,,b").contains("a field is missing"));
        assert!(error("").contains("a field is missing"));
        assert!(error("a:enum(x").contains("has 1 `(` and 0 `)`"));
        assert!(error("a??").contains("each stand once"));
        assert!(error("id:int").contains("every model has the key"));
        assert!(error("a:json!").contains("cannot be unique"));
        assert!(error("created_at:datetime?").contains("the service sets this field"));
    }
}
