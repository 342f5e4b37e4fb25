//! `rate_limit`: a number of requests and a window.

mod malformed {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(rate_limit)]
    pub struct Alone {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(rate_limit(100))]
    pub struct WithoutWindow {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(rate_limit(per = "1m"))]
    pub struct WithoutNumber {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(rate_limit(0, per = "1m"))]
    pub struct Nothing {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(rate_limit(100, per = "2d"))]
    pub struct TooLong {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(rate_limit(100, per = 60))]
    pub struct NumberOfSeconds {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(rate_limit(100, per = "1m", by = "tenant"))]
    pub struct UnknownKey {
        pub id: i64,
    }
}
