//! The key: missing, twice, of another type, or with attributes that contradict it.

mod default {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        #[crud(default = 7)]
        pub id: i64,
    }
}

mod float {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: f64,
    }
}

mod hidden {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        #[crud(hidden)]
        pub id: i64,
    }

    #[derive(Resource)]
    pub struct Category {
        #[crud(write_only)]
        pub id: String,
    }
}

mod immutable {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        #[crud(immutable)]
        pub id: i64,
    }

    #[derive(Resource)]
    pub struct Category {
        #[crud(read_only)]
        pub id: Uuid,
    }
}

mod missing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub name: String,
    }

    fn uses() {
        let _ = NewProduct::new("Chair");
    }
}

mod optional {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: Option<i64>,
    }
}

mod own_type {
    use crud_runtime::prelude::*;

    pub struct Sku(String);

    #[derive(Resource)]
    pub struct Product {
        #[crud(id)]
        pub sku: Sku,
    }
}

mod text_with_default {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Category {
        #[crud(default = "none", max_length = 20)]
        pub id: String,
    }
}

mod two {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        #[crud(id)]
        pub number: i64,
        #[crud(id)]
        pub code: String,
    }
}

mod unsigned {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: u64,
    }
}

mod validated {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        #[crud(min = 1)]
        pub id: i64,
    }
}
