//! Releases 1 to 4: the first tables, fields that are added, and one that is renamed.

/// The first tables.
pub(crate) mod r1 {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name), sort(name), pagination)]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(length(max = 40))]
        pub(crate) name: String,
        #[crud(length(max = 30))]
        pub(crate) phone: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name), sort(name), pagination)]
    pub(crate) struct Product {
        pub(crate) id: i64,
        #[crud(length(max = 80))]
        pub(crate) name: String,
        pub(crate) price: f64,
        #[crud(range(min = 10))]
        pub(crate) stock: i32,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
    #[crud(rename_all = "snake_case")]
    pub(crate) enum Status {
        Open,
        Paid,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(pagination)]
    pub(crate) struct Order {
        pub(crate) id: i64,
        #[crud(length(max = 20))]
        pub(crate) number: String,
        pub(crate) status: Status,
        pub(crate) customer_id: i64,
        pub(crate) total: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(product_id), pagination)]
    pub(crate) struct Review {
        pub(crate) id: i64,
        pub(crate) product_id: i64,
        #[crud(range(min = 1, max = 5))]
        pub(crate) stars: i16,
        pub(crate) text: String,
    }

    pub(crate) fn resources(service: Service) -> Service {
        service.resource::<Customer>().resource::<Product>().resource::<Order>().resource::<Review>()
    }
}

/// Optional columns.
pub(crate) mod r2 {
    use crud_runtime::prelude::*;

    use super::r1::{Order, Review};

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name), sort(name), pagination)]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(length(max = 40))]
        pub(crate) name: String,
        #[crud(length(max = 30))]
        pub(crate) phone: String,
        #[crud(length(max = 100))]
        pub(crate) email: Option<String>,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name, brand), sort(name, brand), pagination)]
    pub(crate) struct Product {
        pub(crate) id: i64,
        #[crud(length(max = 80))]
        pub(crate) name: String,
        pub(crate) price: f64,
        #[crud(range(min = 10))]
        pub(crate) stock: i32,
        #[crud(length(max = 40))]
        pub(crate) brand: Option<String>,
    }

    pub(crate) fn resources(service: Service) -> Service {
        service.resource::<Customer>().resource::<Product>().resource::<Order>().resource::<Review>()
    }
}

/// A required column, and an optional one that becomes required.
pub(crate) mod r3 {
    use crud_runtime::prelude::*;

    use super::r1::{Order, Review};

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name), sort(name), pagination)]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(length(max = 40))]
        pub(crate) name: String,
        #[crud(length(max = 30))]
        pub(crate) phone: String,
        #[crud(length(max = 100))]
        pub(crate) email: Option<String>,
        #[crud(length(max = 2), column(backfill = "FI"))]
        pub(crate) country: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name, brand), sort(name, brand), pagination)]
    pub(crate) struct Product {
        pub(crate) id: i64,
        #[crud(length(max = 80))]
        pub(crate) name: String,
        pub(crate) price: f64,
        #[crud(range(min = 10))]
        pub(crate) stock: i32,
        #[crud(length(max = 40), column(backfill = "no name"))]
        pub(crate) brand: String,
    }

    pub(crate) fn resources(service: Service) -> Service {
        service.resource::<Customer>().resource::<Product>().resource::<Order>().resource::<Review>()
    }
}

/// A renamed column.
pub(crate) mod r4 {
    use crud_runtime::prelude::*;

    use super::r1::{Order, Review};
    use super::r3::Product;

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name), sort(name), pagination)]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(length(max = 40))]
        pub(crate) name: String,
        #[crud(length(max = 30), column(renamed_from = "phone"))] // the column's name before
        pub(crate) telephone: String,
        #[crud(length(max = 100))]
        pub(crate) email: Option<String>,
        #[crud(length(max = 2), column(backfill = "FI"))] // the value of the customers that exist
        pub(crate) country: String,
    }

    pub(crate) fn resources(service: Service) -> Service {
        service.resource::<Customer>().resource::<Product>().resource::<Order>().resource::<Review>()
    }
}
