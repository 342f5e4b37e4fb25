//! `sql_type` on types of the program, which only the compiler knows.

mod type_that_is_not_text {
    use crud_runtime::Column;
    use crud_runtime::column::{ColumnError, Kind, Value, ValueRef};
    use crud_runtime::prelude::*;

    pub struct Count(i64);

    impl Column for Count {
        const KIND: Kind = Kind::I64;

        fn into_value(self) -> Value {
            Value::Int(self.0)
        }

        fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
            i64::from_value(value).map(Self)
        }
    }

    #[derive(Resource)]
    pub struct Host {
        pub id: i64,
        #[crud(column(sql_type = "oid"))]
        pub count: Count,
    }
}
