//! Private structs, private fields, and visibilities between private and public.

use renamed::prelude::*;

#[derive(Resource)]
#[crud(crate(::renamed))]
struct Private {
    id: i64,
    pub name: String,
    pub(crate) size: i32,
    pub(in crate::private) place: Option<String>,
}

mod inner {
    use renamed::prelude::*;

    // A private type in a private field.
    struct Secret(String);

    impl Column for Secret {
        const KIND: renamed::column::Kind = renamed::column::Kind::Text;

        fn into_value(self) -> renamed::column::Value {
            renamed::column::Value::Text(self.0)
        }

        fn from_value(value: renamed::column::ValueRef<'_>) -> Result<Self, renamed::column::ColumnError> {
            String::from_value(value).map(Self)
        }
    }

    #[derive(Resource)]
    #[crud(crate(::renamed))]
    pub(super) struct Restricted {
        id: i64,
        secret: Secret,
        pub(super) name: String,
    }

    #[derive(Resource)]
    #[crud(crate(::renamed))]
    pub(super) struct Wider {
        pub id: i64,
        pub(super) name: String,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_of_a_private_struct_is_private_too() {
        let new = NewPrivate::new("a", 5).place("here");
        let patch = inner::RestrictedPatch::default().name("a");
        let wider = inner::NewWider::new("a");
        assert_eq!(renamed::adapter::Changes::from(new).len(), 3);
        assert_eq!(renamed::adapter::Changes::from(patch).len(), 1);
        assert_eq!(renamed::adapter::Changes::from(wider).len(), 1);
    }
}
