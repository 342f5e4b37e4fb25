//! Validation rules that do not fit the type of a field, and functions of `custom`.

mod custom_missing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(validate(custom(check)))]
        pub name: String,
    }
}

mod custom_of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Part {
        pub id: i64,
        #[crud(validate(custom(check_number)))]
        pub name: String,
    }

    fn check_number(_: &i64) -> Result<(), String> {
        Ok(())
    }
}

mod custom_with_another_result {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Shelf {
        pub id: i64,
        #[crud(validate(custom(is_short)))]
        pub name: Option<String>,
    }

    fn is_short(_: &str) -> bool {
        true
    }
}

mod on_an_enum {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    pub enum Status {
        Pending,
    }

    #[derive(Resource)]
    pub struct Order {
        pub id: i64,
        #[crud(length(max = 5), validate(email))]
        pub status: Status,
    }
}

mod on_own_type {
    use crud_runtime::prelude::*;

    use crud_runtime::Column;
    use crud_runtime::column::{ColumnError, Kind, Value, ValueRef};

    pub struct Photo(Vec<u8>);

    impl Column for Photo {
        const KIND: Kind = Kind::Bytes;

        fn into_value(self) -> Value {
            Value::Bytes(self.0)
        }

        fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
            Vec::<u8>::from_value(value).map(Self)
        }
    }

    #[derive(Resource)]
    #[crud(default_sort(photo))]
    pub struct Album {
        pub id: i64,
        #[crud(range(min = 5), validate(pattern = "a", one_of("a")), filter, sort, length(max = 5), decimal(3))]
        pub photo: Photo,
    }
}
