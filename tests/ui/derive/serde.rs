//! Serde's attributes that the JSON of a resource does not follow.

mod flatten {
    use crud_runtime::prelude::*;

    #[derive(serde::Serialize, serde::Deserialize, Resource)]
    pub struct Product {
        pub id: i64,
        #[serde(flatten)]
        pub extra: serde_json::Value,
    }
}

mod on_a_struct {
    use crud_runtime::prelude::*;

    #[derive(serde::Serialize, serde::Deserialize, Resource, Default, Clone)]
    #[serde(default, tag = "type")]
    pub struct Product {
        pub id: i64,
    }

    #[derive(serde::Serialize, Resource, Clone)]
    #[serde(into = "i64")]
    pub struct Category {
        pub id: i64,
    }

    impl From<Category> for i64 {
        fn from(category: Category) -> Self {
            category.id
        }
    }
}

mod on_an_enum {
    use crud_runtime::prelude::*;

    #[derive(serde::Serialize, serde::Deserialize, ResourceEnum)]
    #[serde(tag = "kind")]
    pub enum Status {
        #[serde(alias = "waiting")]
        Pending,
        #[serde(skip)]
        Internal,
        #[crud(rename = "a")]
        #[serde(rename = "b")]
        Shipped,
    }
}

mod on_fields {
    use crud_runtime::prelude::*;

    #[derive(serde::Serialize, serde::Deserialize, Resource)]
    pub struct Product {
        pub id: i64,
        #[serde(alias = "title")]
        pub name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub note: Option<String>,
        #[serde(with = "text")]
        pub stock: i64,
        #[serde(skip_serializing)]
        pub secret: String,
        #[serde(skip_deserializing)]
        pub rating: f64,
    }

    mod text {
        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        pub fn serialize<S: Serializer>(value: &i64, serializer: S) -> Result<S::Ok, S::Error> {
            value.serialize(serializer)
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
            i64::deserialize(deserializer)
        }
    }
}

mod rename_all_of_two_kinds {
    use crud_runtime::prelude::*;

    #[derive(serde::Serialize, serde::Deserialize, Resource)]
    #[crud(rename_all = "camelCase")]
    #[serde(rename_all = "snake_case")]
    pub struct Product {
        pub id: i64,
    }
}

mod rename_by_direction {
    use crud_runtime::prelude::*;

    #[derive(serde::Serialize, serde::Deserialize, Resource)]
    #[serde(rename_all(serialize = "camelCase"))]
    pub struct Product {
        pub id: i64,
        #[serde(rename(serialize = "a", deserialize = "b"))]
        pub name: String,
    }
}

mod rename_of_two_kinds {
    use crud_runtime::prelude::*;

    #[derive(serde::Serialize, serde::Deserialize, Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(rename = "a")]
        #[serde(rename = "b")]
        pub name: String,
    }
}

mod skip_and_filter {
    use crud_runtime::prelude::*;

    #[derive(serde::Serialize, serde::Deserialize, Resource)]
    #[crud(filter(secret))]
    pub struct Product {
        pub id: i64,
        #[serde(skip)]
        pub secret: String,
    }
}
