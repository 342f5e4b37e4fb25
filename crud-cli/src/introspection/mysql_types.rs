//! Field types of the column types of MySQL and MariaDB.

use crud_shared::catalogue::ColumnType;

use super::field_type::{FieldType, can_be_variants};

/// The field type of a column type.
///
/// # Errors
/// Reason why there is none.
pub(super) fn field_type(ty: &ColumnType) -> Result<FieldType, String> {
    let integer = |signed: &str, unsigned: &str| FieldType::plain(if ty.unsigned { unsigned } else { signed });
    Ok(match ty.base.as_str() {
        "tinyint" if ty.declared.to_lowercase().starts_with("tinyint(1)") && !ty.unsigned => FieldType::plain("bool"),
        "tinyint" => integer("i8", "u8"),
        "smallint" => integer("i16", "u16"),
        "mediumint" | "int" => integer("i32", "u32"),
        "bigint" => integer("i64", "u64"),
        "year" => FieldType::plain("i16"),
        "float" => FieldType::plain("f32"),
        "double" => FieldType::plain("f64"),
        "decimal" | "numeric" => match FieldType::decimal(ty.precision, ty.scale) {
            Some(decimal) => decimal,
            // MySQL compares such a number with a text as floating-point numbers.
            None => FieldType::plain("String").sql_type(ty).unsorted(),
        },
        "char" | "varchar" => FieldType::text(ty.length),
        "tinytext" | "text" | "mediumtext" | "longtext" => FieldType::text(None),
        "date" => FieldType::plain("NaiveDate"),
        "time" => FieldType::plain("NaiveTime"),
        "datetime" => FieldType::plain("NaiveDateTime"),
        "timestamp" => FieldType::plain("DateTime<Utc>"),
        "json" => FieldType::opaque("serde_json::Value"),
        // The service stores a UUID in 16 bytes, too.
        "binary" if ty.length == Some(16) => FieldType::plain("Uuid"),
        "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => FieldType::opaque("Vec<u8>"),
        "uuid" => FieldType::plain("Uuid").stored(["format = \"lowercase\"".to_owned()]),
        "bit" if ty.declared.to_lowercase() == "bit(1)" => FieldType::plain("bool"),
        "bit" => FieldType::plain("i64"),
        "inet4" | "inet6" => FieldType::plain("String").sql_type(ty),
        // MySQL orders an enum's values by their numbers, and compares them as texts.
        "enum" if can_be_variants(&ty.labels) => FieldType::enumeration(&ty.labels).unsorted(),
        "enum" | "set" => FieldType::text(None).unsorted(),
        _ => return Err(format!("a field cannot have the type `{}`", ty.declared)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crud_shared::declared::Declared;

    fn rust(declared: &str) -> String {
        let Declared { base, numbers, unsigned } = Declared::of(declared);
        let ty = ColumnType {
            declared: declared.to_owned(),
            length: numbers.first().copied(),
            precision: numbers.first().copied(),
            scale: numbers.get(1).and_then(|scale| i32::try_from(*scale).ok()),
            base,
            unsigned,
            ..ColumnType::default()
        };
        field_type(&ty).map_or_else(|reason| reason, |found| found.rust)
    }

    #[test]
    fn integers_have_their_width_and_sign() {
        for (declared, expected) in [
            ("tinyint(1)", "bool"),
            ("tinyint(4)", "i8"),
            ("tinyint(1) unsigned", "u8"),
            ("smallint", "i16"),
            ("int(10) unsigned", "u32"),
            ("bigint(20) unsigned", "u64"),
            ("decimal(10,2)", "Decimal"),
            ("decimal(65,30)", "String"),
            ("binary(16)", "Uuid"),
            ("binary(20)", "Vec<u8>"),
            ("geometry", "a field cannot have the type `geometry`"),
        ] {
            assert_eq!(rust(declared), expected, "{declared}");
        }
    }
}
