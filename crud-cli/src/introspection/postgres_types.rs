//! Field types of PostgreSQL's column types.

use crud_shared::catalogue::ColumnType;

use super::field_type::FieldType;

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

/// The field type of a column type. A type that no field has is a text, by the database's casts.
pub(super) fn field_type(ty: &ColumnType) -> FieldType {
    if ty.array {
        return list(ty);
    }
    let found = match ty.base.as_str() {
        "enum" => return FieldType::enumeration(&ty.labels).sql_type(ty),
        "varchar" => Some(FieldType::text(ty.length)),
        "numeric" => FieldType::decimal(ty.precision, ty.scale),
        "jsonb" => Some(FieldType::opaque("serde_json::Value")),
        "json" => Some(FieldType::opaque("serde_json::Value").sql_type(ty)),
        "bytea" => Some(FieldType::opaque("Vec<u8>")),
        // A cast cuts off what is too long.
        "bpchar" | "varbit" => return FieldType::text(ty.length).sql_type(ty),
        base => scalar(base).map(FieldType::plain),
    };
    match found {
        Some(found) if ty.domain && ty.base != "json" => found.sql_type(ty),
        Some(found) => found,
        None => {
            let text = if ORDERED.contains(&ty.base.as_str()) { FieldType::plain } else { FieldType::opaque };
            text("String").sql_type(ty)
        }
    }
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
            // A cast to the bounded type would cut off what is too long.
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
            FieldType::plain("String").stored(["sql_type = \"inet\"".to_owned()])
        );
        let search = field_type(&ty("tsvector", "tsvector"));
        assert!(!search.comparable && search.column == ["sql_type = \"tsvector\""], "{search:?}");
        let padded = ColumnType { length: Some(5), ..ty("bpchar", "character(5)") };
        let FieldType { attributes, column, .. } = field_type(&padded);
        assert_eq!([attributes, column].concat(), ["length(max = 5)", "sql_type = \"character(5)\""]);
    }

    #[test]
    fn a_decimal_has_its_digits() {
        let digits = |precision, scale| ColumnType { precision, scale, ..ty("numeric", "numeric(…)") };
        assert_eq!(field_type(&digits(Some(5), Some(2))).attributes, ["decimal(5, 2)"]);
        for (precision, scale) in [(None, None), (Some(40), Some(2)), (Some(5), Some(-2)), (Some(2), Some(5))] {
            assert_eq!(field_type(&digits(precision, scale)).rust, "String", "{precision:?} {scale:?}");
        }
    }

    #[test]
    fn a_domain_names_itself_beside_the_type_below() {
        let year = ColumnType { domain: true, ..ty("int4", "year") };
        assert_eq!(field_type(&year), FieldType::plain("i32").stored(["sql_type = \"year\"".to_owned()]));
    }

    #[test]
    fn an_array_is_a_list_of_its_elements() {
        let array = |base, declared| field_type(&ColumnType { array: true, ..ty(base, declared) });
        assert_eq!(array("int4", "integer[]"), FieldType::opaque("Vec<i32>"));
        assert_eq!(array("text", "text[]"), FieldType::opaque("Vec<String>"));
        assert_eq!(array("varchar", "character varying(9)[]").column, ["sql_type = \"character varying[]\""]);
        assert_eq!(array("enum", "mood[]").rust, "Vec<String>");
    }
}
