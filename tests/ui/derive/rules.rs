//! Validation rules: values of another type, limits that no value is within, functions that are no path.

mod choice_twice {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(validate(one_of("a", "b", "a")))]
        pub size: String,
    }
}

mod custom_closure {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(validate(custom(|name| Ok(()))))]
        pub name: String,
    }
}

mod custom_in_quotes {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(validate(custom("check")))]
        pub name: String,
    }
}

mod decimal_digits {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(decimal(29))]
        pub a: Decimal,
        #[crud(decimal(0))]
        pub b: Decimal,
        #[crud(decimal(4, 5))]
        pub c: Decimal,
        #[crud(decimal(4))]
        pub d: f64,
        #[crud(decimal(18, 30))]
        pub e: Option<Decimal>,
    }
}

mod literals_of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(range(min = "0"))]
        pub a: f64,
        #[crud(range(max = 0.5))]
        pub b: i32,
        #[crud(range(min = 40000))]
        pub c: i16,
        #[crud(range(min = -1))]
        pub d: u32,
        #[crud(validate(one_of("a", 1)))]
        pub e: String,
        #[crud(validate(one_of("a", 1.5, 1)))]
        pub f: i64,
        #[crud(length(min = -1))]
        pub g: String,
        #[crud(length(max = 1.5))]
        pub h: String,
        #[crud(range(min = LOWEST))]
        pub i: i64,
    }
}

mod max_less_than_min {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(range(min = 5, max = 4))]
        pub a: i32,
        #[crud(range(max = -0.5, min = 0))]
        pub b: f64,
        #[crud(length(min = 9, max = 8))]
        pub c: String,
    }
}

mod number_too_large {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(range(max = 99999999999999999999))]
        pub stock: i64,
    }
}

mod of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(range(min = 0, max = 5))]
        pub name: String,
        #[crud(length(min = 0, max = 5))]
        pub price: f64,
        #[crud(validate(email))]
        pub number: i32,
        #[crud(validate(url))]
        pub photo: Vec<u8>,
        #[crud(validate(pattern = "a"))]
        pub flag: bool,
        #[crud(validate(one_of(1, 2)))]
        pub day: NaiveDate,
        #[crud(range(min = 5))]
        pub key: Uuid,
    }
}
