//! The key: missing, of another type, or with attributes that contradict it, also on several fields.

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
        #[crud(default = "none", length(max = 20))]
        pub id: String,
    }
}

mod part_hidden {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Line {
        #[crud(id)]
        pub order_id: i64,
        #[crud(id, hidden)]
        pub code: String,
    }
}

mod part_nullable {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Line {
        #[crud(id)]
        pub order_id: i64,
        #[crud(id)]
        pub code: Option<String>,
    }
}

mod part_of_json {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Line {
        #[crud(id)]
        pub order_id: i64,
        #[crud(id)]
        pub code: serde_json::Value,
    }
}

mod too_many_parts {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Line {
        #[crud(id)]
        pub a: i64,
        #[crud(id)]
        pub b: i64,
        #[crud(id)]
        pub c: i64,
        #[crud(id)]
        pub d: i64,
        #[crud(id)]
        pub e: i64,
        #[crud(id)]
        pub f: i64,
        #[crud(id)]
        pub g: i64,
    }
}

mod unknown_setter {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        #[crud(id(server))]
        pub number: i64,
    }
}

mod without {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(table(no_key))]
    pub struct Marked {
        #[crud(id)]
        pub number: i64,
    }

    #[derive(Resource)]
    #[crud(table(no_key), batch, operations(except(create)))]
    pub struct Written {
        pub number: i64,
        #[crud(default = 3)]
        pub amount: i64,
    }

    #[derive(Resource)]
    #[crud(table(no_key), pagination(cursor), operations(list, get))]
    pub struct Pages {
        pub number: i64,
    }

    async fn writes(store: Store<Plain>) {
        let _ = store.get(7).await;
    }

    #[derive(Resource)]
    #[crud(table(no_key))]
    pub struct Plain {
        pub number: i64,
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
        #[crud(range(min = 1))]
        pub id: i64,
    }
}
