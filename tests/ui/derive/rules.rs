//! Validation rules: values of another type, limits that no value is within, functions that are no path.

mod choice_twice {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(one_of("a", "b", "a"))]
        pub size: String,
    }
}

mod custom_closure {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(custom = |name| Ok(()))]
        pub name: String,
    }
}

mod custom_in_quotes {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(custom = "check")]
        pub name: String,
    }
}

mod decimal_digits {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(precision = 29)]
        pub a: Decimal,
        #[crud(precision = 0)]
        pub b: Decimal,
        #[crud(precision = 4, scale = 5)]
        pub c: Decimal,
        #[crud(precision = 4)]
        pub d: f64,
        #[crud(scale = 30)]
        pub e: Option<Decimal>,
    }
}

mod literals_of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(min = "0")]
        pub a: f64,
        #[crud(max = 0.5)]
        pub b: i32,
        #[crud(min = 40000)]
        pub c: i16,
        #[crud(min = -1)]
        pub d: u32,
        #[crud(one_of("a", 1))]
        pub e: String,
        #[crud(one_of("a", 1.5, 1))]
        pub f: i64,
        #[crud(min_length = -1)]
        pub g: String,
        #[crud(max_length = 1.5)]
        pub h: String,
        #[crud(min = LOWEST)]
        pub i: i64,
    }
}

mod max_less_than_min {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(min = 5, max = 4)]
        pub a: i32,
        #[crud(max = -0.5, min = 0)]
        pub b: f64,
        #[crud(min_length = 9, max_length = 8)]
        pub c: String,
    }
}

mod number_too_large {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(max = 99999999999999999999)]
        pub stock: i64,
    }
}

mod of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(min = 0, max = 5)]
        pub name: String,
        #[crud(min_length = 0, max_length = 5)]
        pub price: f64,
        #[crud(email)]
        pub number: i32,
        #[crud(url)]
        pub photo: Vec<u8>,
        #[crud(pattern = "a")]
        pub flag: bool,
        #[crud(one_of(1, 2))]
        pub day: NaiveDate,
        #[crud(min = 5)]
        pub key: Uuid,
    }
}
