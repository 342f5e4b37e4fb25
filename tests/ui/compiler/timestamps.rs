//! Timestamps of a type that the program defines.

mod created_at_of_own_type {
    use crud_runtime::prelude::*;

    use crud_runtime::Column;
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
    pub struct Product {
        pub id: i64,
        #[crud(created_at)]
        pub created_at: Moment,
    }
}
