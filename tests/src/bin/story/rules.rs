//! Releases 5 to 7: indexes and rules, two branches, and prices that become decimals.

/// Indexes, and unique values.
pub(crate) mod r5 {
    use crud_runtime::prelude::*;

    use crate::start::r1::{Review, Status};

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name), sort(name), pagination)]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(length(max = 40))]
        pub(crate) name: String,
        #[crud(length(max = 30))]
        pub(crate) telephone: String,
        #[crud(length(max = 100), unique(case_insensitive))]
        pub(crate) email: Option<String>,
        #[crud(length(max = 2), filter)]
        pub(crate) country: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name, brand), sort(name, brand, price), index(brand, price), pagination)]
    pub(crate) struct Product {
        pub(crate) id: i64,
        #[crud(length(max = 80))]
        pub(crate) name: String,
        pub(crate) price: f64,
        #[crud(range(min = 10))]
        pub(crate) stock: i32,
        #[crud(length(max = 40))]
        pub(crate) brand: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(status, customer_id), pagination)]
    pub(crate) struct Order {
        pub(crate) id: i64,
        #[crud(length(max = 20), unique)]
        pub(crate) number: String,
        pub(crate) status: Status,
        pub(crate) customer_id: i64,
        pub(crate) total: i64,
    }

    pub(crate) fn resources(service: Service) -> Service {
        service.resource::<Customer>().resource::<Product>().resource::<Order>().resource::<Review>()
    }
}

/// A branch of release 5: another column.
pub(crate) mod loyalty {
    use crud_runtime::prelude::*;

    use super::r5::{Order, Product};
    use crate::start::r1::Review;

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name), sort(name), pagination)]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(length(max = 40))]
        pub(crate) name: String,
        #[crud(length(max = 30))]
        pub(crate) telephone: String,
        #[crud(length(max = 100), unique(case_insensitive))]
        pub(crate) email: Option<String>,
        #[crud(length(max = 2), filter)]
        pub(crate) country: String,
        #[crud(sort)]
        pub(crate) loyalty: Option<i64>,
    }

    pub(crate) fn resources(service: Service) -> Service {
        service.resource::<Customer>().resource::<Product>().resource::<Order>().resource::<Review>()
    }
}

/// Another branch of release 5: wider rules, and a variant more.
pub(crate) mod wider {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name), sort(name), pagination)]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(length(max = 60))]
        pub(crate) name: String,
        #[crud(length(max = 30))]
        pub(crate) telephone: String,
        #[crud(length(max = 100), unique(case_insensitive))]
        pub(crate) email: Option<String>,
        #[crud(length(max = 2), filter)]
        pub(crate) country: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name, brand), sort(name, brand, price), index(brand, price), pagination)]
    pub(crate) struct Product {
        pub(crate) id: i64,
        #[crud(length(max = 80))]
        pub(crate) name: String,
        pub(crate) price: f64,
        #[crud(range(min = 0))]
        pub(crate) stock: i32,
        #[crud(length(max = 40))]
        pub(crate) brand: String,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
    #[crud(rename_all = "snake_case")]
    pub(crate) enum Status {
        Open,
        Paid,
        Shipped,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(status, customer_id), pagination)]
    pub(crate) struct Order {
        pub(crate) id: i64,
        #[crud(length(max = 20), unique)]
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
        #[crud(range(min = 1, max = 10))]
        pub(crate) stars: i16,
        pub(crate) text: String,
    }

    pub(crate) fn resources(service: Service) -> Service {
        service.resource::<Customer>().resource::<Product>().resource::<Order>().resource::<Review>()
    }
}

/// Both branches, merged.
pub(crate) mod r6 {
    use crud_runtime::prelude::*;

    use super::wider::{Order, Product, Review};

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name), sort(name), pagination)]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(length(max = 60))]
        pub(crate) name: String,
        #[crud(length(max = 30))]
        pub(crate) telephone: String,
        #[crud(length(max = 100), unique(case_insensitive))]
        pub(crate) email: Option<String>,
        #[crud(length(max = 2), filter)]
        pub(crate) country: String,
        #[crud(sort)]
        pub(crate) loyalty: Option<i64>,
    }

    pub(crate) fn resources(service: Service) -> Service {
        service.resource::<Customer>().resource::<Product>().resource::<Order>().resource::<Review>()
    }
}

/// Money is a decimal.
pub(crate) mod r7 {
    use crud_runtime::prelude::*;

    use super::r6::Customer;
    use super::wider::{Review, Status};

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name, brand), sort(name, brand, price), index(brand, price), pagination)]
    pub(crate) struct Product {
        pub(crate) id: i64,
        #[crud(length(max = 80))]
        pub(crate) name: String,
        #[crud(decimal(12, 2))]
        pub(crate) price: Decimal,
        #[crud(range(min = 0))]
        pub(crate) stock: i32,
        #[crud(length(max = 40))]
        pub(crate) brand: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(status, customer_id), pagination)]
    pub(crate) struct Order {
        pub(crate) id: i64,
        #[crud(length(max = 20), unique)]
        pub(crate) number: String,
        pub(crate) status: Status,
        pub(crate) customer_id: i64,
        #[crud(decimal(12, 2))]
        pub(crate) total: Decimal,
    }

    pub(crate) fn resources(service: Service) -> Service {
        service.resource::<Customer>().resource::<Product>().resource::<Order>().resource::<Review>()
    }
}
