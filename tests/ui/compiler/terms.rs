//! Conditions in programs: fields, operators and values.

mod field_of_another_resource {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
    }

    #[derive(Resource)]
    pub struct Category {
        pub id: i64,
    }

    fn uses() {
        let _ = Product::FIELDS.id.eq(1).and(Category::FIELDS.id.eq(1));
    }
}

mod greater_on_a_flag {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Switch {
        pub id: i64,
        pub active: bool,
    }

    fn uses() {
        let _ = Switch::FIELDS.active.gt(true);
    }
}

mod like_on_a_number {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Part {
        pub id: i64,
        pub price: f64,
    }

    fn uses() {
        let _ = Part::FIELDS.price.like("5%");
    }
}

mod null_on_a_required_field {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Order {
        pub id: i64,
        pub name: String,
    }

    fn uses() {
        let _ = Order::FIELDS.name.is_null();
    }
}

mod unknown_field {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Shelf {
        pub id: i64,
        pub name: String,
    }

    fn uses() {
        let _ = Shelf::FIELDS.nmae.asc();
    }
}

mod value_of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Ticket {
        pub id: i64,
        pub name: String,
        pub stock: u32,
    }

    fn uses() {
        let _ = Ticket::FIELDS.name.eq(5);
        let _ = Ticket::FIELDS.stock.gt("5");
    }
}

mod query_in_place_of_a_condition {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Session {
        pub id: i64,
    }

    async fn uses(sessions: Store<Session>) {
        let _ = sessions.delete_where(Select::all()).await;
        let _ = sessions.update_where(Session::FIELDS.id.gt(1).limit(5), SessionPatch::default()).await;
    }
}
