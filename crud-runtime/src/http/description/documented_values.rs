//! [`Documented`] of single values, and of lists, options, maps and pages.
//!
//! With the feature `utoipa`, they have the same schemas by its `ToSchema`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList};

use serde_json::Value;

use super::documented_type::{Documented, DocumentedType};
use super::json_schema::Schema;
use super::page::example_page;

/// Implements [`Documented`] for single values.
macro_rules! values {
    ($($type:ty: $schema:expr;)+) => { $(
        impl Documented for $type {
            fn documented() -> DocumentedType {
                DocumentedType::new(stringify!($type), &$schema)
            }
        }
    )+ };
}

values! {
    bool: Schema::boolean();
    i8: Schema::integer().with("format", "int32");
    i16: Schema::integer().with("format", "int32");
    i32: Schema::integer().with("format", "int32");
    i64: Schema::integer().with("format", "int64");
    i128: Schema::integer();
    isize: Schema::integer();
    u8: Schema::at_least(0, "int32");
    u16: Schema::at_least(0, "int32");
    u32: Schema::at_least(0, "int32");
    u64: Schema::at_least(0, "int64");
    u128: Schema::integer().with("minimum", 0);
    usize: Schema::integer().with("minimum", 0);
    f32: Schema::number().with("format", "float");
    f64: Schema::number().with("format", "double");
    char: Schema::text();
    str: Schema::text();
    String: Schema::text();
    Value: Schema::any();
    (): Schema::any().with("default", Value::Null);
}

/// Implements [`Documented`] for types that are written as another one.
macro_rules! same {
    ($($type:ty where [$($generics:tt)*]: $inner:ty;)+) => { $(
        impl<$($generics)*> Documented for $type {
            fn documented() -> DocumentedType {
                <$inner>::documented()
            }
        }
    )+ };
}

same! {
    &str where []: str;
    &[T] where [T: Documented]: [T];
    Box<T> where [T: Documented]: T;
    Cow<'_, T> where [T: Documented + Clone]: T;
}

/// Implements [`Documented`] for lists, and for sets, whose items are unique.
macro_rules! lists {
    ($($type:ty where [$($generics:tt)+]: $is_set:literal;)+) => { $(
        impl<$($generics)+> Documented for $type {
            fn documented() -> DocumentedType {
                list::<T>(stringify!($type), $is_set)
            }
        }
    )+ };
}

lists! {
    Vec<T> where [T: Documented]: false;
    [T] where [T: Documented]: false;
    LinkedList<T> where [T: Documented]: false;
    BTreeSet<T> where [T: Documented]: true;
    HashSet<T, S> where [T: Documented, S]: true;
}

fn list<T: Documented>(name: &'static str, is_set: bool) -> DocumentedType {
    let DocumentedType { schema, others, .. } = T::documented();
    let list = Schema::array(schema).with("uniqueItems", is_set);
    DocumentedType { others, ..DocumentedType::new(name, &list) }
}

impl<T: Documented> Documented for Option<T> {
    fn documented() -> DocumentedType {
        let DocumentedType { schema, others, .. } = T::documented();
        let null = Schema::any().with("type", "null");
        DocumentedType { others, ..DocumentedType::new("Option", &Schema::one_of([null, schema])) }
    }
}

impl<K: Documented, T: Documented> Documented for BTreeMap<K, T> {
    fn documented() -> DocumentedType {
        let (mut keys, values) = (K::documented(), T::documented());
        keys.others.extend(values.others);
        let map = Schema::object().with("additionalProperties", values.schema).with("propertyNames", keys.schema);
        DocumentedType { others: keys.others, ..DocumentedType::new("Map", &map) }
    }
}

impl<K: Documented, T: Documented, S> Documented for HashMap<K, T, S> {
    fn documented() -> DocumentedType {
        BTreeMap::<K, T>::documented()
    }
}

impl<T: Documented> Documented for crate::Page<T> {
    fn documented() -> DocumentedType {
        let DocumentedType { name, schema, mut others } = T::documented();
        let page = example_page(&name, &schema);
        others.insert(0, (name.to_string(), schema));
        DocumentedType { others, ..DocumentedType::new(format!("{name}List"), &page) }
    }
}
