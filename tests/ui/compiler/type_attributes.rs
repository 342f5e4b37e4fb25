//! Attributes that a field's type brings: names and options that it does not have.

mod signs {
    use crud_runtime::Column;
    use crud_runtime::column::{ColumnAttribute, ColumnError, Kind, Value, ValueRef};
    use crud_runtime::prelude::*;

    pub struct Sign;

    impl Column for Sign {
        const KIND: Kind = Kind::Json;
        const READ_ONLY: bool = true;
        const ATTRIBUTE: Option<&'static str> = Some("sign");

        fn into_value(self) -> Value {
            Value::Null
        }

        fn from_value(_: ValueRef<'_>) -> Result<Self, ColumnError> {
            Ok(Self)
        }
    }

    pub struct SignOptions;

    impl SignOptions {
        pub const fn inches(self, inches: u32) -> Self {
            assert!(inches <= 100, "expected at most 100 inches, such as `inches = 20`");
            self
        }
    }

    impl ColumnAttribute for Sign {
        type Options = SignOptions;
        const OPTIONS: SignOptions = SignOptions;
    }

    #[derive(Resource)]
    pub struct UnknownOption {
        pub id: i64,
        #[crud(sign(inches = 5, feet = 5))]
        pub sign: Option<Sign>,
    }

    #[derive(Resource)]
    pub struct WrongType {
        pub id: i64,
        #[crud(sign(inches = "5"))]
        pub sign: Option<Sign>,
    }

    #[derive(Resource)]
    pub struct NoAttribute {
        pub id: i64,
        #[crud(sign(inches = 5))]
        pub shape: Shape,
    }

    #[derive(Clone, ResourceEnum)]
    pub enum Shape {
        Round,
        Square,
    }
}
