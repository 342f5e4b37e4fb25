//! `NewProduct` and `ProductPatch` with fields that are not theirs, or values of another type.

mod assigned_fields {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        #[crud(id)]
        pub serial_number: i64,
        pub name: String,
        #[crud(created_at)]
        pub created_at: DateTime<Utc>,
    }

    fn uses() {
        let _ = NewProduct { serial_number: 1, name: String::new() };
        let _ = ProductPatch::default().serial_number(5);
    }
}

mod name_taken {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Order {
        pub id: i64,
    }

    pub struct NewOrder;
}

mod patch_as_a_literal {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    pub struct Part {
        pub id: i64,
        pub name: String,
    }

    fn renamed() -> PartPatch {
        PartPatch { name: "lamp".to_owned(), ..Default::default() }
    }
}

mod value_of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Shelf {
        pub id: i64,
        pub name: String,
    }

    fn uses() {
        let _ = NewShelf::new(5);
        let _ = ShelfPatch::default().name(true);
    }
}
