//! Releases 11 to 15: a column is split, a view and a search, tenants, and what is no longer needed.

/// A column is split into two.
pub(crate) mod r11 {
    use crud_runtime::prelude::*;

    use crate::records::r8::{Category, Product};
    use crate::rules::wider::{Review, Status};

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(last_name), sort(last_name), soft_delete, pagination)]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(length(max = 40), column(backfill = ""))]
        pub(crate) first_name: String,
        #[crud(length(max = 60), column(backfill = ""))]
        pub(crate) last_name: String,
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

/// A view.
pub(crate) mod r12 {
    use crud_runtime::prelude::*;

    use super::r11::{self, Purchase};

    /// Purchases of each customer.
    #[derive(Debug, Clone, Resource)]
    #[crud(
        view(
            "SELECT customer_id, count(*) AS purchases, sum(total) AS total FROM purchases GROUP BY customer_id",
            reads(Purchase)
        ),
        pagination
    )]
    pub(crate) struct Turnover {
        #[crud(id)]
        pub(crate) customer_id: i64,
        pub(crate) purchases: i64,
        #[crud(decimal(18, 2))]
        pub(crate) total: Decimal,
    }

    pub(crate) fn resources(service: Service) -> Service {
        r11::resources(service).resource::<Turnover>()
    }
}

/// Another query of the view, and a search.
pub(crate) mod r13 {
    use crud_runtime::prelude::*;

    use super::r11::{Customer, Purchase};
    use crate::records::r8::Category;
    use crate::rules::wider::Review;

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(name, brand), sort(name, brand, price), index(brand, price), search(name, brand), pagination)]
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

    /// Paid orders of each customer.
    #[derive(Debug, Clone, Resource)]
    #[crud(
        view(
            "SELECT customer_id, count(*) AS purchases, sum(total) AS total FROM purchases
                WHERE status <> 'open' GROUP BY customer_id",
            reads(Purchase)
        ),
        pagination
    )]
    pub(crate) struct Turnover {
        #[crud(id)]
        pub(crate) customer_id: i64,
        pub(crate) purchases: i64,
        #[crud(decimal(18, 2))]
        pub(crate) total: Decimal,
    }

    pub(crate) fn resources(service: Service) -> Service {
        let service = service.resource::<Category>().resource::<Customer>().resource::<Product>();
        service.resource::<Purchase>().resource::<Review>().resource::<Turnover>()
    }
}

/// Records have tenants: the shops of a chain.
pub(crate) mod r14 {
    use crud_runtime::prelude::*;

    use super::r13::Product;
    use crate::records::r8::Category;
    use crate::rules::wider::{Review, Status};

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(last_name), sort(last_name), soft_delete, pagination)]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(tenant, column(backfill = 1))]
        pub(crate) shop_id: i64,
        #[crud(length(max = 40))]
        pub(crate) first_name: String,
        #[crud(length(max = 60))]
        pub(crate) last_name: String,
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
    #[crud(table = "purchases", renamed_from = "Order", audit)]
    #[crud(filter(status, customer_id), sort(created_at), pagination)]
    pub(crate) struct Purchase {
        pub(crate) id: i64,
        #[crud(tenant, column(backfill = 1))]
        pub(crate) shop_id: i64,
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

    /// Paid orders of each customer.
    #[derive(Debug, Clone, Resource)]
    #[crud(
        view(
            "SELECT customer_id, shop_id, count(*) AS purchases, sum(total) AS total FROM purchases
                WHERE status <> 'open' GROUP BY customer_id, shop_id",
            reads(Purchase)
        ),
        pagination
    )]
    pub(crate) struct Turnover {
        #[crud(id)]
        pub(crate) customer_id: i64,
        #[crud(tenant)]
        pub(crate) shop_id: i64,
        pub(crate) purchases: i64,
        #[crud(decimal(18, 2))]
        pub(crate) total: Decimal,
    }

    pub(crate) fn resources(service: Service) -> Service {
        let service = service.resource::<Category>().resource::<Customer>().resource::<Product>();
        service.resource::<Purchase>().resource::<Review>().resource::<Turnover>()
    }
}

/// Reviews and loyalty are gone.
pub(crate) mod r15 {
    use crud_runtime::prelude::*;

    use super::r13::Product;
    use crate::records::r8::Category;
    use crate::rules::wider::Status;

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(last_name), sort(last_name), soft_delete, pagination)]
    pub(crate) struct Customer {
        pub(crate) id: i64,
        #[crud(tenant)]
        pub(crate) shop_id: i64,
        #[crud(length(max = 40))]
        pub(crate) first_name: String,
        #[crud(length(max = 60))]
        pub(crate) last_name: String,
        #[crud(length(max = 30))]
        pub(crate) telephone: String,
        #[crud(length(max = 100), unique(active, case_insensitive))]
        pub(crate) email: Option<String>,
        #[crud(length(max = 2), filter)]
        pub(crate) country: String,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "purchases", renamed_from = "Order", audit)]
    #[crud(filter(status, customer_id), sort(created_at), pagination)]
    pub(crate) struct Purchase {
        pub(crate) id: i64,
        #[crud(tenant)]
        pub(crate) shop_id: i64,
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

    /// Paid orders of each customer.
    #[derive(Debug, Clone, Resource)]
    #[crud(
        view(
            "SELECT customer_id, shop_id, count(*) AS purchases, sum(total) AS total FROM purchases
                WHERE status <> 'open' GROUP BY customer_id, shop_id",
            reads(Purchase)
        ),
        pagination
    )]
    pub(crate) struct Turnover {
        #[crud(id)]
        pub(crate) customer_id: i64,
        #[crud(tenant)]
        pub(crate) shop_id: i64,
        pub(crate) purchases: i64,
        #[crud(decimal(18, 2))]
        pub(crate) total: Decimal,
    }

    pub(crate) fn resources(service: Service) -> Service {
        let service = service.resource::<Category>().resource::<Customer>().resource::<Product>();
        service.resource::<Purchase>().resource::<Turnover>()
    }
}
