//! `computed`: expressions, functions, and what a field that is not stored cannot have.

mod malformed {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product1 {
        pub id: i64,
        #[crud(computed)]
        pub value: i64,
    }

    #[derive(Resource)]
    pub struct Product2 {
        pub id: i64,
        #[crud(computed())]
        pub value: i64,
    }

    #[derive(Resource)]
    pub struct Product3 {
        pub id: i64,
        #[crud(computed(sql = price))]
        pub value: i64,
        #[crud(computed(sqll = "price"))]
        pub other: i64,
        #[crud(computed(sqlite = "price"))]
        pub third: i64,
    }

    #[derive(Resource)]
    pub struct Product4 {
        pub id: i64,
        #[crud(computed(sql = ""))]
        pub empty: i64,
        #[crud(computed(sql = "a) + (b"))]
        pub open: i64,
        #[crud(computed(sql = "price * ?"))]
        pub bound: i64,
        #[crud(computed(sql = "(SELECT 1)"))]
        pub selected: i64,
        #[crud(computed(sql = "extract(year FROM day)"))]
        pub year: i64,
    }
}

mod stored {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(search(label), unique(price, value), index(value))]
    pub struct Product5 {
        pub id: i64,
        pub price: i64,
        #[crud(computed(sql = "price * 2"), default = 5, unique, read_only)]
        pub value: i64,
        #[crud(computed(sql = "'a'"), length(max = 5))]
        pub label: String,
    }

    #[derive(Resource)]
    pub struct Product6 {
        #[crud(computed(sql = "1"))]
        pub id: i64,
        #[crud(computed(sql = "2"))]
        pub created_at: i64,
    }
}

mod expression_alone {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product8 {
        pub id: i64,
        pub price: i64,
        #[crud(computed("price * 2"))]
        pub double: i64,
    }
}

mod functions {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(url), sort(url), default_sort(url), aggregate(group_by(url)))]
    pub struct Todo1 {
        pub id: i64,
        #[crud(computed(Todo1::url))]
        pub url: String,
    }

    impl Todo1 {
        fn url(&self, _: &RequestContext<'_>) -> String {
            String::new()
        }
    }
}

mod disclosed {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter, sort)]
    pub struct Product7 {
        pub id: i64,
        pub price: i32,
        #[crud(visible(role("staff")), default = 0)]
        pub cost: i32,
        #[crud(computed(sql = "price - cost"))]
        pub margin: i32,
        #[crud(computed(sql = "price - cost"), visible(role("staff")))]
        pub profit: i32,
        #[crud(computed(sql = "price * 2"))]
        pub double: i32,
    }
}
