//! `ResourceEnum`, with `rename_all` and `rename`.

use crud_runtime::column::{Kind, Value, ValueRef};
use crud_runtime::prelude::*;

#[derive(Debug, PartialEq, ResourceEnum)]
enum Plain {
    Small,
    VeryLarge,
    r#Fn,
}

#[derive(Debug, PartialEq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
enum Renamed {
    Small = 3,
    VeryLarge = 5,
    #[crud(rename = "huge!")]
    Huge,
}

#[test]
fn text_of_a_variant_is_its_name() {
    assert_eq!(Plain::KIND, Kind::Enum(&["Small", "VeryLarge", "Fn"]));
    assert_eq!(Plain::VeryLarge.into_value(), Value::Text("VeryLarge".to_owned()));
    assert_eq!(Plain::from_value(ValueRef::Text("Fn")), Ok(Plain::r#Fn));
}

#[test]
fn text_of_a_variant_may_be_renamed() {
    assert_eq!(Renamed::KIND, Kind::Enum(&["small", "very_large", "huge!"]));
    for variant in [Renamed::Small, Renamed::VeryLarge, Renamed::Huge] {
        let text = format!("{variant:?}");
        let value = variant.into_value();
        assert_eq!(format!("{:?}", Renamed::from_value(value.borrow()).expect("a variant")), text);
    }
}

#[test]
fn unknown_text_is_rejected() {
    let error = Renamed::from_value(ValueRef::Text("tiny")).expect_err("no variant");
    assert_eq!(error.message(), "must be one of `small`, `very_large`, `huge!`, not `tiny`");
    assert!(Renamed::from_value(ValueRef::Int(3)).is_err());
}

#[test]
fn open_enum_is_text() {
    #[derive(Debug, PartialEq, ResourceEnum)]
    #[crud(rename_all = "lowercase")]
    enum Open {
        Small,
        #[crud(other)]
        Other(String),
    }

    assert_eq!(Open::KIND, Kind::Text);
    for (variant, text) in [(Open::Small, "small"), (Open::Other("tiny".to_owned()), "tiny")] {
        assert_eq!(Open::from_value(ValueRef::Text(text)).expect("a variant"), variant);
        assert_eq!(variant.into_value(), Value::Text(text.to_owned()));
    }
    assert!(Open::from_value(ValueRef::Int(3)).is_err());
}

#[test]
fn enum_field_is_filterable_and_sortable() {
    #[derive(Resource)]
    #[crud(filter(size), sort)]
    struct Thing {
        id: i64,
        #[crud(default(Plain::Small), validate(one_of("Small", "Fn")))]
        size: Plain,
        other: Option<Renamed>,
    }

    assert!(super::column::<Thing>("size").filterable && super::column::<Thing>("other").sortable);
    let _ = Thing::FIELDS.size.eq(Plain::Small).and(Thing::FIELDS.other.is_null());
}
