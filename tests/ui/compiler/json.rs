//! JSON values, which no list can filter or sort by.

mod equality {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Note {
        pub id: i64,
        pub data: serde_json::Value,
    }

    fn uses() {
        let _ = Note::FIELDS.data.eq(serde_json::Value::Null);
    }
}

mod filter {
    use crud_runtime::prelude::*;

    use serde_json::Value;

    #[derive(Resource)]
    #[crud(filter(data), default_sort(data))]
    pub struct Product {
        pub id: i64,
        pub data: Value,
    }
}
