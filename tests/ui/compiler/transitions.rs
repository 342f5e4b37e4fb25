//! Transitions between variants that the enum does not have, or of a type that is no enum.

mod of_another_type {
    use crud_runtime::prelude::*;
    use crud_runtime::column::{ColumnError, Kind, Value, ValueRef};

    pub struct Sku(String);

    impl Sku {
        #[allow(non_upper_case_globals)]
        const Draft: Self = Self(String::new());
        #[allow(non_upper_case_globals)]
        const Published: Self = Self(String::new());
    }

    impl Column for Sku {
        const KIND: Kind = Kind::Text;

        fn into_value(self) -> Value {
            Value::Text(self.0)
        }

        fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
            String::from_value(value).map(Self)
        }
    }

    #[derive(Resource)]
    pub struct Article {
        pub id: i64,
        #[crud(default(Sku::Draft), transitions(publish(Draft, Published)))]
        pub sku: Sku,
    }
}

mod state_that_is_not_reached {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, ResourceEnum)]
    pub enum Status {
        Draft,
        Published,
        Archived,
    }

    #[derive(Resource)]
    pub struct Page {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(publish(Draft, Published)))]
        pub status: Status,
    }
}

mod unknown_variant {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, ResourceEnum)]
    pub enum Phase {
        Draft,
        Published,
        Archived,
    }

    #[derive(Resource)]
    pub struct Report {
        pub id: i64,
        #[crud(default(Phase::Draft), transitions(publish(Draft, Publishd), archive(any(Draft, Publishd), Archived)))]
        pub status: Phase,
    }
}
