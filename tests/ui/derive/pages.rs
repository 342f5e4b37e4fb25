//! `pagination`: limits and counts.

mod assigned {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination = 20)]
    pub struct Product {
        pub id: i64,
    }
}

mod count_of_nothing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination(count(capped(0))))]
    pub struct Product {
        pub id: i64,
    }
}

mod count_of_two_caps {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination(count(capped(1, 2))))]
    pub struct Product {
        pub id: i64,
    }
}

mod count_too_large {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination(count(capped(5000000000))))]
    pub struct Product {
        pub id: i64,
    }
}

mod count_unknown {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination(count(estimated)))]
    pub struct Product {
        pub id: i64,
    }
}

mod count_without_a_cap {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination(count(capped)))]
    pub struct Product {
        pub id: i64,
    }
}

mod duplicate {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination(max_limit = 20, max_limit = 30))]
    pub struct Product {
        pub id: i64,
    }
}

mod max_less_than_default {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination(default_limit = 20, max_limit = 10))]
    pub struct Product {
        pub id: i64,
    }
}

mod not_a_number {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination(default_limit = "20", max_limit = -1))]
    pub struct Product {
        pub id: i64,
    }
}

mod over_limit {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination(over_limit(refuse)))]
    pub struct Product {
        pub id: i64,
    }
}

mod too_large {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination(max_limit = 5000000000))]
    pub struct Product {
        pub id: i64,
    }
}

mod unknown_option {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination(defalt_limit = 20, size = 5))]
    pub struct Product {
        pub id: i64,
    }
}

mod zero {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagination(default_limit = 0, max_limit = 0))]
    pub struct Product {
        pub id: i64,
    }
}
