//! Field types of PostgreSQL's column types.

use crud_shared::catalogue::ColumnType;

use super::field_type::{FieldType, can_be_variants};

/// Types that a text is cast to and from, and that have an order.
const ORDERED: &[&str] = &[
    "bit",
    "bpchar",
    "char",
    "cidr",
    "citext",
    "date",
    "daterange",
    "inet",
    "int4range",
    "int8range",
    "interval",
    "isbn",
    "ltree",
    "macaddr",
    "macaddr8",
    "money",
    "name",
    "numeric",
    "numrange",
    "oid",
    "pg_lsn",
    "regclass",
    "semver",
    "time",
    "timestamp",
    "timestamptz",
    "timetz",
    "tsrange",
    "tstzrange",
    "uuid",
    "varbit",
    "varchar",
    "vector",
];

/// The field type of a column type. Types without a counterpart are texts, which the database casts.
pub(super) fn field_type(ty: &ColumnType) -> FieldType {
    if ty.array {
        return list(ty);
    }
    let found = match ty.base.as_str() {
        "enum" if can_be_variants(&ty.labels) => return FieldType::enumeration(&ty.labels).sql_type(ty),
        "enum" => {
            let remark = "it is a text: an enum cannot have an empty value, or none";
            return FieldType::plain("String").sql_type(ty).remarked(remark);
        }
        "varchar" => Some(FieldType::text(ty.length)),
        "numeric" => FieldType::decimal(ty.precision, ty.scale),
        "jsonb" => Some(FieldType::opaque("serde_json::Value")),
        "json" => Some(FieldType::opaque("serde_json::Value").sql_type(ty)),
        "bytea" => Some(FieldType::opaque("Vec<u8>")),
        // The length is checked, because a cast cuts off longer text.
        "bpchar" | "varbit" => return FieldType::text(ty.length).sql_type(ty),
        base => scalar(base).map(FieldType::plain),
    };
    match found {
        Some(found) if ty.domain && ty.base != "json" => found.sql_type(ty),
        Some(found) => found,
        None => {
            let text = if ORDERED.contains(&ty.base.as_str()) { FieldType::plain } else { FieldType::opaque };
            text("String").sql_type(&cast(ty))
        }
    }
}

/// The type by which values are cast. `numeric(5,-1)` becomes `numeric`: a field cannot name a type with a sign.
fn cast(ty: &ColumnType) -> ColumnType {
    let is_rounded = ty.base == "numeric" && !ty.domain && ty.declared.contains('-');
    let declared = if is_rounded { "numeric".to_owned() } else { ty.declared.clone() };
    ColumnType { declared, ..ColumnType::default() }
}

/// The types that a field has without a cast.
fn scalar(base: &str) -> Option<&'static str> {
    Some(match base {
        "bool" => "bool",
        "int2" => "i16",
        "int4" => "i32",
        "int8" => "i64",
        "float4" => "f32",
        "float8" => "f64",
        "text" => "String",
        "date" => "NaiveDate",
        "time" => "NaiveTime",
        "timestamp" => "NaiveDateTime",
        "timestamptz" => "DateTime<Utc>",
        "uuid" => "Uuid",
        _ => return None,
    })
}

fn list(ty: &ColumnType) -> FieldType {
    match scalar(&ty.base).filter(|_| !ty.domain) {
        Some(item) => FieldType::opaque(&format!("Vec<{item}>")),
        None => {
            // The type without its bound: a cast to the bounded type would cut off longer text.
            let declared = ty.declared.split_once('(').filter(|_| ty.base == "varchar" && !ty.domain);
            let declared = declared.map_or_else(|| ty.declared.clone(), |(name, _)| format!("{name}[]"));
            FieldType::opaque("Vec<String>").sql_type(&ColumnType { declared, ..ColumnType::default() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ty(base: &str, declared: &str) -> ColumnType {
        ColumnType { base: base.to_owned(), declared: declared.to_owned(), ..ColumnType::default() }
    }

    #[test]
    fn a_type_without_a_field_type_is_a_text_by_casts() {
        assert_eq!(
            field_type(&ty("inet", "inet")),
            FieldType { sql_type: Some("inet".to_owned()), ..FieldType::plain("String") }
        );
        let search = field_type(&ty("tsvector", "tsvector"));
        assert!(!search.comparable && search.sql_type.as_deref() == Some("tsvector"), "{search:?}");
        let padded = ColumnType { length: Some(5), ..ty("bpchar", "character(5)") };
        let FieldType { attributes, sql_type, .. } = field_type(&padded);
        assert_eq!((attributes, sql_type.as_deref()), (vec!["length(max = 5)".to_owned()], Some("character(5)")));
    }

    #[test]
    fn a_decimal_has_its_digits() {
        let digits = |precision, scale| ColumnType { precision, scale, ..ty("numeric", "numeric(…)") };
        assert_eq!(field_type(&digits(Some(5), Some(2))).attributes, ["decimal(5, 2)"]);
        for (precision, scale) in [(None, None), (Some(40), Some(2)), (Some(5), Some(-2)), (Some(2), Some(5))] {
            assert_eq!(field_type(&digits(precision, scale)).rust, "String", "{precision:?} {scale:?}");
        }
        let tens = ColumnType { declared: "numeric(5,-2)".to_owned(), ..digits(Some(5), Some(-2)) };
        assert_eq!(field_type(&tens).sql_type.as_deref(), Some("numeric"));
    }

    #[test]
    fn an_enum_without_variants_is_a_text() {
        let labels = |labels: &[&str]| ColumnType {
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            ..ty("enum", "mood")
        };
        for unnamed in [&[][..], &["", "calm"]] {
            let FieldType { rust, sql_type, remark, .. } = field_type(&labels(unnamed));
            assert_eq!((rust.as_str(), sql_type.as_deref(), remark.is_some()), ("String", Some("mood"), true));
        }
        assert_eq!(field_type(&labels(&["calm"])).labels, ["calm"]);
    }

    #[test]
    fn a_domain_names_itself_beside_the_type_below() {
        let year = ColumnType { domain: true, ..ty("int4", "year") };
        assert_eq!(field_type(&year), FieldType { sql_type: Some("year".to_owned()), ..FieldType::plain("i32") });
    }

    #[test]
    fn an_array_is_a_list_of_its_elements() {
        let array = |base, declared| field_type(&ColumnType { array: true, ..ty(base, declared) });
        assert_eq!(array("int4", "integer[]"), FieldType::opaque("Vec<i32>"));
        assert_eq!(array("text", "text[]"), FieldType::opaque("Vec<String>"));
        let bounded = array("varchar", "character varying(9)[]");
        assert_eq!(bounded.sql_type.as_deref(), Some("character varying[]"));
        assert_eq!(array("enum", "mood[]").rust, "Vec<String>");
    }
}
