//! Fields that soft delete sets: not set by the program, and of another type than they must be.

mod set_by_the_program {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Product {
        pub id: i64,
        pub name: String,
        pub is_deleted: bool,
        pub deleted_at: Option<DateTime<Utc>>,
    }

    fn uses() {
        let _ = NewProduct { name: String::new(), is_deleted: true };
        let _ = ProductPatch::default().deleted_at(None);
    }
}

mod timestamp_of_own_type {
    use crud_runtime::prelude::*;

    use crud_runtime::column::{ColumnError, Kind, Value, ValueRef};

    pub struct Moment(i64);

    impl Column for Moment {
        const KIND: Kind = Kind::I64;

        fn into_value(self) -> Value {
            Value::Int(self.0)
        }

        fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
            i64::from_value(value).map(Self)
        }
    }

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Order {
        pub id: i64,
        pub deleted_at: Option<Moment>,
    }
}
