//! `references`, and what stands inside of it.

mod expand_without_a_name {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Category {
        pub id: i64,
    }

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(references = Category, expand)]
        pub shelf: i64,
        #[crud(references = Category, expand)]
        pub category_id: i64,
        pub category: String,
    }
}

mod in_quotes {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(references("Category"))]
        pub category_id: i64,
    }
}

mod set_null_on_required {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Category {
        pub id: i64,
    }

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(references = Category, on_delete = set_null)]
        pub category_id: i64,
    }
}

mod to_a_resource_with_mistakes {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(oops)]
    pub struct Category {
        pub id: i64,
    }

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(references = Category)]
        pub category_id: i64,
    }
}

mod unknown_on_delete {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Category {
        pub id: i64,
    }

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(references = Category, on_delete = destroy)]
        pub category_id: i64,
    }
}

mod unconstrained {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Category {
        pub id: i64,
    }

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(references(Category, unconstrained), on_delete = cascade)]
        pub category_id: i64,
        #[crud(references(Category, free))]
        pub second_id: i64,
        #[crud(references(Category, any, any))]
        pub third_id: i64,
    }
}
