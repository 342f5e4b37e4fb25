//! Releases 8 to 10: references, what the service keeps of a record, and a struct with another name.

/// References of records that are there, and to a new table.
pub(crate) mod r8 {
    use crud_runtime::prelude::*;

    use crate::rules::r6::Customer;
    use crate::rules::wider::{Review, Status};

    #[derive(Debug, Clone, Resource)]
    pub(crate) struct Category {
        pub(crate) id: i64,
        #[crud(length(max = 40), unique)]
        pub(crate) name: String,
    }

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
        #[crud(references(Category, on_delete(set_null)))]
        pub(crate) category_id: Option<i64>,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(status, customer_id), pagination)]
    pub(crate) struct Order {
        pub(crate) id: i64,
        #[crud(length(max = 20), unique)]
        pub(crate) number: String,
        pub(crate) status: Status,
        #[crud(references(Customer))]
        pub(crate) customer_id: i64,
        #[crud(decimal(12, 2))]
        pub(crate) total: Decimal,
    }

    pub(crate) fn resources(service: Service) -> Service {
        let service = service.resource::<Category>().resource::<Customer>().resource::<Product>();
        service.resource::<Order>().resource::<Review>()
    }
}

/// Soft delete, timestamps and the audit log.
pub(crate) mod r9 {
    use crud_runtime::prelude::*;

    use super::r8::{Category, Product};
    use crate::rules::wider::{Review, Status};

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name), sort(name), unique(name, country, among(active)), soft_delete, pagination)]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(length(max = 60))]
        pub(crate) name: String,
        #[crud(length(max = 30))]
        pub(crate) telephone: String,
        #[crud(length(max = 100), unique(active, case_insensitive))]
        pub(crate) email: Option<String>,
        #[crud(length(max = 2), filter)]
        pub(crate) country: String,
        #[crud(sort)]
        pub(crate) loyalty: Option<i64>,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(status, customer_id), sort(created_at), audit, pagination)]
    pub(crate) struct Order {
        pub(crate) id: i64,
        #[crud(length(max = 20), unique)]
        pub(crate) number: String,
        pub(crate) status: Status,
        #[crud(references(Customer))]
        pub(crate) customer_id: i64,
        #[crud(decimal(12, 2))]
        pub(crate) total: Decimal,
        #[crud(created_at)]
        pub(crate) created_at: DateTime<Utc>,
        #[crud(updated_at)]
        pub(crate) updated_at: DateTime<Utc>,
    }

    pub(crate) fn resources(service: Service) -> Service {
        let service = service.resource::<Category>().resource::<Customer>().resource::<Product>();
        service.resource::<Order>().resource::<Review>()
    }
}

/// A struct with another name.
pub(crate) mod r10 {
    use crud_runtime::prelude::*;

    use super::r8::{Category, Product};
    use super::r9::Customer;
    use crate::rules::wider::{Review, Status};

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(status, customer_id), sort(created_at), pagination)]
    #[crud(renamed_from = "Order", audit)]
    pub(crate) struct Purchase {
        pub(crate) id: i64,
        #[crud(length(max = 20), unique)]
        pub(crate) number: String,
        pub(crate) status: Status,
        #[crud(references(Customer))]
        pub(crate) customer_id: i64,
        #[crud(decimal(12, 2))]
        pub(crate) total: Decimal,
        #[crud(created_at)]
        pub(crate) created_at: DateTime<Utc>,
        #[crud(updated_at)]
        pub(crate) updated_at: DateTime<Utc>,
    }

    pub(crate) fn resources(service: Service) -> Service {
        let service = service.resource::<Category>().resource::<Customer>().resource::<Product>();
        service.resource::<Purchase>().resource::<Review>()
    }
}

/// Its table has the other name too.
pub(crate) mod r10_table {
    use crud_runtime::prelude::*;

    use super::r8::{Category, Product};
    use super::r9::Customer;
    use crate::rules::wider::{Review, Status};

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "purchases", renamed_from = "Order", audit)]
    #[crud(filter(status, customer_id), sort(created_at), pagination)]
    pub(crate) struct Purchase {
        pub(crate) id: i64,
        #[crud(length(max = 20), unique)]
        pub(crate) number: String,
        pub(crate) status: Status,
        #[crud(references(Customer))]
        pub(crate) customer_id: i64,
        #[crud(decimal(12, 2))]
        pub(crate) total: Decimal,
        #[crud(created_at)]
        pub(crate) created_at: DateTime<Utc>,
        #[crud(updated_at)]
        pub(crate) updated_at: DateTime<Utc>,
    }

    pub(crate) fn resources(service: Service) -> Service {
        let service = service.resource::<Category>().resource::<Customer>().resource::<Product>();
        service.resource::<Purchase>().resource::<Review>()
    }
}
