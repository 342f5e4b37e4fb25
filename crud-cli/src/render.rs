//! The file of a resource, `src/resources/product.rs`: formatted as rustfmt would.

use anyhow::{Context, Result, bail};
use crud_shared::case::RenameRule;
use crud_shared::spelling;

use crate::cli::Features;
use crate::field::{Field, Type};
use crate::model::{Model, Selection};
use crate::names::{self, article};
use crate::rust_layout::{allowed, attribute, call, head, share_a_word};

/// The text of the file.
pub(crate) fn resource(model: &Model) -> Result<String> {
    let flags = model.fields.iter().filter(|field| field.ty == Type::Bool && !field.nullable).count();
    let allowed = allowed(&model.name, model.fields.iter().map(|field| field.name.as_str()), flags, false);
    let imports = model.targets().into_iter().map(|target| format!("use super::{}::{target};", names::module(target)));
    let mut lines = head(&model.name, imports.collect(), &options(model), allowed);
    lines.push("    pub id: i64,".to_owned());
    for field in &model.fields {
        lines.extend(self::field(model, field)?);
    }
    if model.features.soft_delete {
        lines.push("    pub deleted_at: Option<DateTime<Utc>>,".to_owned());
    }
    lines.push("}".to_owned());
    lines.extend(enums(model));
    Ok(lines.join("\n") + "\n")
}

/// The lines of a field.
pub(crate) fn field(model: &Model, field: &Field) -> Result<Vec<String>> {
    let options = field_options(model, field).with_context(|| format!("field `{}`", field.name))?;
    let line = format!("    pub {}: {},", names::identifier(&field.name), field_type(model, field));
    Ok(attribute("    ", &options).into_iter().chain([line]).collect())
}

/// The lines of the enums that fields have, each after an empty one.
pub(crate) fn enums(model: &Model) -> Vec<String> {
    let words = names::words(&model.name);
    let an = article(&words);
    let mut lines = Vec::new();
    for field in &model.fields {
        if let Type::Enum(values) = &field.ty {
            lines.push(String::new());
            lines.push(format!("/// The {} of {an} {words}.", field.name.replace('_', " ")));
            enumeration(&mut lines, &model.enum_name(field), values);
        }
    }
    lines
}

/// The options of `#[crud(…)]` on the struct.
fn options(model: &Model) -> Vec<String> {
    let mut options = Vec::new();
    let selections = [("filter", &model.filter), ("sort", &model.sort)];
    for (key, selection) in selections {
        match selection {
            None => {}
            Some(Selection::All) => options.push(key.to_owned()),
            Some(Selection::Some(fields)) => {
                let fields: Vec<String> = fields.iter().map(|field| names::identifier(field)).collect();
                options.push(call(key, "    ", &fields));
            }
        }
    }
    options.push("pagination".to_owned());
    let Features { soft_delete, audit, batch } = model.features;
    let flags = [("soft_delete", soft_delete), ("batch", batch), ("audit", audit)];
    options.extend(flags.into_iter().filter(|(_, on)| *on).map(|(key, _)| key.to_owned()));
    options
}

fn field_options(model: &Model, field: &Field) -> Result<Vec<String>> {
    let mut options = Vec::new();
    if field.is_managed() {
        options.push(field.name.clone());
    }
    if let Some(target) = field.target() {
        options.push(format!("references({target})"));
    }
    if field.unique {
        options.push("unique".to_owned());
    }
    if let Some(default) = &field.default {
        let expression = default_expression(model, field, default)?;
        let is_literal = !matches!(field.ty, Type::Decimal | Type::Enum(_));
        options.push(if is_literal { format!("default = {expression}") } else { format!("default({expression})") });
    }
    Ok(options)
}

fn field_type(model: &Model, field: &Field) -> String {
    let ty = match &field.ty {
        Type::Text => "String",
        Type::Int(ty) | Type::Float(ty) => ty,
        Type::Ref(_) => "i64",
        Type::Bool => "bool",
        Type::DateTime => "DateTime<Utc>",
        Type::Date => "NaiveDate",
        Type::Uuid => "Uuid",
        Type::Decimal => "Decimal",
        Type::Json => "serde_json::Value",
        Type::Bytes => "Vec<u8>",
        Type::Enum(_) => &model.enum_name(field),
    };
    if field.nullable { format!("Option<{ty}>") } else { ty.to_owned() }
}

/// A default as an expression.
fn default_expression(model: &Model, field: &Field, default: &str) -> Result<String> {
    match &field.ty {
        Type::Text => Ok(format!("{default:?}")),
        Type::Int(ty) => {
            let number: i64 = default.parse().ok().with_context(|| format!("`{default}` is not an integer"))?;
            if !fits(ty, number) {
                bail!("`{default}` is outside of the range of `{ty}`");
            }
            Ok(grouped(&number.to_string()))
        }
        Type::Float(_) => {
            let number: f64 = default.parse().ok().with_context(|| format!("`{default}` is not a number"))?;
            if !number.is_finite() {
                bail!("`{default}` is not a number that JSON can hold");
            }
            Ok(grouped(&format!("{number:?}")))
        }
        Type::Bool if ["true", "false"].contains(&default) => Ok(default.to_owned()),
        Type::Bool => bail!("`{default}` is neither `true` nor `false`"),
        Type::Decimal => decimal(default).with_context(|| format!("`{default}` is not a decimal such as `12.50`")),
        Type::Enum(values) => {
            if !values.iter().any(|value| value == default) {
                let hint = spelling::hint(default, values.iter().map(String::as_str));
                bail!("the default `{default}` is not a value of the enum: {hint}");
            }
            Ok(format!("{}::{}", model.enum_name(field), names::camel(default)))
        }
        Type::DateTime | Type::Date | Type::Uuid | Type::Json | Type::Bytes | Type::Ref(_) => {
            bail!("a default of this type is an expression: remove it, and write `#[crud(default(…))]` in the file")
        }
    }
}

/// Whether an integer fits into an integer type.
fn fits(ty: &str, number: i64) -> bool {
    match ty {
        "i16" => i16::try_from(number).is_ok(),
        "i32" => i32::try_from(number).is_ok(),
        "u32" => u32::try_from(number).is_ok(),
        _ => true,
    }
}

/// Checks the default of a field.
pub(crate) fn check_default(model: &Model, field: &Field) -> Result<()> {
    field.default.as_deref().map_or(Ok(()), |default| default_expression(model, field, default).map(drop))
}

/// A decimal by its digits and its scale.
fn decimal(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: i64 = format!("{whole}{fraction}").parse().ok()?;
    let scale = fraction.len();
    // The bounds of the runtime's decimals.
    (scale <= 4 && !whole.is_empty() && !whole.starts_with('+') && digits.unsigned_abs() < 10_u64.pow(18))
        .then(|| format!("Decimal::new({}, {scale})", grouped(&digits.to_string())))
}

/// A number, with `_` between groups of three digits where the integer part has more than five.
fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (whole, rest) = digits.find(|c: char| !c.is_ascii_digit()).map_or((digits, ""), |point| digits.split_at(point));
    if whole.len() <= 5 {
        return number.to_owned();
    }
    let groups = whole.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    format!("{sign}{}{rest}", groups.collect::<Vec<_>>().join("_"))
}

fn enumeration(lines: &mut Vec<String>, name: &str, values: &[String]) {
    lines.push("#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]".to_owned());
    let as_written = values.iter().all(|value| *value == names::camel(value));
    let snake_case = values.iter().all(|value| *value == RenameRule::Snake.variant(&names::camel(value)));
    if snake_case {
        lines.push("#[crud(rename_all = \"snake_case\")]".to_owned());
    }
    if share_a_word(name, values) {
        lines.push("#[allow(clippy::enum_variant_names)]".to_owned());
    }
    lines.push(format!("pub enum {name} {{"));
    for value in values {
        lines.extend((!as_written && !snake_case).then(|| format!("    #[crud(rename = {value:?})]")));
        lines.push(format!("    {},", names::camel(value)));
    }
    lines.push("}".to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_grouped() {
        let numbers = ["5", "-12345", "123456", "-1234567.5", "1e21", "0.123456789"];
        assert_eq!(numbers.map(grouped), ["5", "-12345", "123_456", "-1_234_567.5", "1e21", "0.123456789"]);
    }

    #[test]
    fn decimals_are_digits_and_a_scale() {
        assert_eq!(decimal("-12.50").as_deref(), Some("Decimal::new(-1250, 2)"));
        assert_eq!(decimal("1").as_deref(), Some("Decimal::new(1, 0)"));
        for bad in ["", ".5", "1.23456", "1.-5", "x", "1e5", "1000000000000000000"] {
            assert_eq!(decimal(bad), None, "{bad}");
        }
    }
}
