//! Access rules: `access`, `owner`, `tenant`, `scope` and `visible`, malformed or on a field that cannot have them.

mod malformed_access {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(access(raed(public), write(everybody), delete, get(role(admin)), list(any()), all(public), all(public)))]
    pub struct Product {
        pub id: i64,
    }
}

mod malformed_owner {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(owner(unless(role("admin"))))]
        pub user_id: i64,
        #[crud(owner = true)]
        pub other_id: i64,
    }
}

mod malformed_tenant {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Ticket {
        pub id: i64,
        #[crud(tenant = 1)]
        pub shop_id: i64,
        #[crud(tenant(exempt(role("root"))))]
        pub other_id: i64,
    }

    #[derive(Resource)]
    #[crud(
        scope,
        scope(role("customer")),
        scope(role("customer"), customer_id),
        scope(role("customer"), customer_id("customer")),
        scope(role("customer"), customer_id(claim(""))),
        scope(customer, customer_id(claim("customer")))
    )]
    pub struct Device {
        pub id: i64,
        pub customer_id: i64,
    }

    #[derive(Resource)]
    pub struct Note {
        pub id: i64,
        #[crud(references(Device))]
        pub device_id: i64,
        #[crud(references(Device, all))]
        pub other_id: i64,
    }
}

mod malformed_visible {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(visible)]
        pub cost: f64,
        #[crud(visible())]
        pub price: f64,
        #[crud(visible(admin))]
        pub note: String,
    }
}

mod owner_that_cannot_be_one {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Note {
        pub id: i64,
        #[crud(owner)]
        pub of_price: f64,
        #[crud(owner)]
        pub of_other: i64,
    }

    #[derive(Resource)]
    pub struct Memo {
        pub id: i64,
        #[crud(owner, immutable, default = 7)]
        pub user_id: i64,
    }

    #[derive(Resource)]
    pub struct Entry {
        #[crud(owner)]
        pub id: i64,
    }
}

mod scope_of_a_field_without_claims {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(
        scope(role("a"), price(claim("price"))),
        scope(role("b"), created_at(claim("time"))),
        scope(role("c"), author(claim("author"))),
        scope(role("d"), custmer_id(claim("customer")))
    )]
    pub struct Ticket {
        pub id: i64,
        pub price: f64,
        #[crud(created_at)]
        pub created_at: DateTime<Utc>,
        #[crud(owner)]
        pub author: String,
        pub customer_id: i64,
    }
}

mod tenant_that_cannot_be_one {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Ticket {
        #[crud(tenant)]
        pub id: i64,
    }

    #[derive(Resource)]
    pub struct Part {
        pub id: i64,
        #[crud(tenant)]
        pub shop_id: f64,
        #[crud(tenant)]
        pub other_id: i64,
    }

    #[derive(Resource)]
    pub struct Order {
        pub id: i64,
        #[crud(tenant, default = 1, immutable)]
        pub shop_id: Option<i64>,
    }

    #[derive(Resource)]
    #[crud(unique(code, among(global)), unique(code, among(active)), unique(among(active)))]
    pub struct Item {
        pub id: i64,
        #[crud(unique(global))]
        pub code: String,
    }
}

mod visible_where_it_cannot_be {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(default_sort(cost))]
    pub struct Product {
        #[crud(visible(role("admin")))]
        pub id: i64,
        #[crud(visible(role("admin")))]
        pub margin: f64,
        #[crud(visible(role("admin")), hidden)]
        pub note: Option<String>,
        #[crud(visible(role("admin")))]
        pub cost: Option<f64>,
    }
}
