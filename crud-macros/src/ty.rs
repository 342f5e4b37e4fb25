//! Types of fields by their names. Types that the derive does not know by name are left to the compiler, through the
//! trait `Column`.

use syn::{GenericArgument, PathArguments, Type};

/// A field's type.
#[derive(Clone, Copy)]
pub(crate) struct FieldType<'a> {
    /// The type as written.
    pub(crate) written: &'a Type,
    /// The type without `Option`.
    pub(crate) inner: &'a Type,
    /// Whether the type is an `Option`.
    pub(crate) optional: bool,
    /// The inner type, where its name is known.
    pub(crate) known: Option<Known>,
}

/// A type that the runtime implements `Column` for, by its last path segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Bool,
    I16,
    I32,
    I64,
    U32,
    F32,
    F64,
    Text,
    DateTime,
    Date,
    Time,
    NaiveDateTime,
    Uuid,
    Decimal,
    Json,
    Bytes,
    TextList,
    /// A list of integers, floats, booleans, dates, times or UUIDs.
    List,
    DecimalList,
}

impl<'a> FieldType<'a> {
    /// Reads a field's type.
    pub(crate) fn new(written: &'a Type) -> Self {
        let option = argument_of(written, "Option");
        let inner = option.unwrap_or(written);
        Self { written, inner, optional: option.is_some(), known: known(inner) }
    }

    /// Whether the type is an `Option` of an `Option`.
    pub(crate) fn is_twice_optional(self) -> bool {
        self.optional && argument_of(self.inner, "Option").is_some()
    }

    /// Whether the type can be a key, or a part of one, as far as its name tells.
    pub(crate) fn can_be_key(self) -> bool {
        !self.optional && self.known.is_none_or(Known::can_be_key)
    }
}

impl Known {
    /// Whether storage assigns keys of this type.
    pub(crate) const fn is_assigned_by_storage(self) -> bool {
        matches!(self, Self::I16 | Self::I32 | Self::I64)
    }

    /// Whether it is known what sets keys of this type: storage, the service, or, for text, the client.
    pub(crate) const fn has_setter(self) -> bool {
        self.is_assigned_by_storage() || matches!(self, Self::Uuid | Self::Text)
    }

    /// Whether values identify a record: each is equal to itself in every database.
    pub(crate) const fn can_be_key(self) -> bool {
        self.is_comparable() && !matches!(self, Self::F32 | Self::F64)
    }
}

fn known(ty: &Type) -> Option<Known> {
    if let Some(element) = argument_of(ty, "Vec") {
        return match last_segment(element)?.ident.to_string().as_str() {
            "u8" => Some(Known::Bytes),
            "String" => Some(Known::TextList),
            "bool" | "i8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "f32" | "f64" | "DateTime"
            | "NaiveDate" | "NaiveTime" | "NaiveDateTime" | "Uuid" => Some(Known::List),
            "Decimal" => Some(Known::DecimalList),
            _ => None,
        };
    }
    if is_json(ty) {
        return Some(Known::Json);
    }
    Some(match last_segment(ty)?.ident.to_string().as_str() {
        "bool" => Known::Bool,
        "i16" => Known::I16,
        "i32" => Known::I32,
        "i64" => Known::I64,
        "u32" => Known::U32,
        "f32" => Known::F32,
        "f64" => Known::F64,
        "String" => Known::Text,
        "DateTime" => Known::DateTime,
        "NaiveDate" => Known::Date,
        "NaiveTime" => Known::Time,
        "NaiveDateTime" => Known::NaiveDateTime,
        "Uuid" => Known::Uuid,
        "Decimal" => Known::Decimal,
        _ => return None,
    })
}

// A type from a macro's `$ty` is in an invisible group, which is removed.
fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        ty => ty,
    }
}

fn last_segment(ty: &Type) -> Option<&syn::PathSegment> {
    match ungrouped(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    }
}

// `Value` alone could be another crate's type.
fn is_json(ty: &Type) -> bool {
    match ungrouped(ty) {
        Type::Path(path) if path.qself.is_none() => {
            let mut segments = path.path.segments.iter().rev();
            let names = (segments.next(), segments.next());
            matches!(names, (Some(last), Some(before)) if last.ident == "Value" && before.ident == "serde_json")
        }
        _ => false,
    }
}

fn argument_of<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let segment = last_segment(ty).filter(|segment| segment.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(ty) if arguments.args.len() == 1 => Some(ty),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(written: &str) -> (bool, Option<Known>) {
        let ty: Type = syn::parse_str(written).expect("a type");
        let ty = FieldType::new(&ty);
        (ty.optional, ty.known)
    }

    #[test]
    fn types_are_known_by_their_last_segment() {
        assert_eq!(read("String"), (false, Some(Known::Text)));
        assert_eq!(read("::std::option::Option<std::string::String>"), (true, Some(Known::Text)));
        assert_eq!(read("Option<chrono::DateTime<Utc>>"), (true, Some(Known::DateTime)));
        assert_eq!(read("Vec<u8>"), (false, Some(Known::Bytes)));
        assert_eq!(read("Option<Vec<String>>"), (true, Some(Known::TextList)));
        assert_eq!(read("Vec<Uuid>"), (false, Some(Known::List)));
        assert_eq!(read("Status"), (false, None));
        assert_eq!(read("(i64, i64)"), (false, None));
    }
}
