//! Types that are no field type.

mod enum_not_derived {
    use crud_runtime::prelude::*;

    pub enum Status {
        Pending,
    }

    #[derive(Resource)]
    #[crud(filter(status), sort)]
    pub struct Ticket {
        pub id: i64,
        #[crud(default(Status::Pending))]
        pub status: Status,
    }

    fn uses() {
        let _ = TicketPatch::default().status(Status::Pending);
        let _ = NewTicket::new().status(Status::Pending);
    }
}

mod lifetime_left_out {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Book {
        pub id: i64,
        pub name: &str,
        pub names: Vec<&str>,
    }

    fn uses() {
        let _ = BookPatch::default();
    }
}

mod list_of_numbers {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        pub sizes: Vec<Vec<i64>>,
    }
}

mod not_a_column {
    use crud_runtime::prelude::*;

    pub struct Money;

    #[derive(Resource)]
    #[crud(filter)]
    pub struct Order {
        pub id: i64,
        #[crud(filter, sort, range(min = 0), default(Money), validate(custom(check)))]
        pub price: Money,
        pub other: Option<Money>,
    }

    fn check(_: &Money) -> Result<(), String> {
        Ok(())
    }

    fn uses() {
        let _ = Order::FIELDS.price;
        let _ = OrderPatch::default();
    }
}

mod text_slice {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Note {
        pub id: i64,
        pub name: &'static str,
    }
}

mod unknown {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter, sort)]
    pub struct Part {
        pub id: i64,
        pub price: Amount,
    }

    fn uses() {
        let _ = PartPatch::default();
        let _ = Part::FIELDS.id.eq(7);
    }
}

mod unsigned_64 {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Shelf {
        pub id: i64,
        pub count: u128,
        pub size: usize,
    }
}
