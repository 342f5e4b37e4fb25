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
        #[crud(references(Category, expand))]
        pub shelf: i64,
        #[crud(references(Category, expand))]
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
        #[crud(references(Category, on_delete(set_null)))]
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
        #[crud(references(Category))]
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
        #[crud(references(Category, on_delete(destroy)))]
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
        #[crud(references(Category, unconstrained, on_delete(cascade)))]
        pub category_id: i64,
        #[crud(references(Category, free))]
        pub second_id: i64,
        #[crud(references(Category, any, any))]
        pub third_id: i64,
    }
}

mod several_fields {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Line {
        #[crud(id)]
        pub order_id: i64,
        #[crud(id)]
        pub number: i32,
    }

    #[derive(Resource)]
    pub struct One {
        pub id: i64,
        #[crud(references(Line, by(number)))]
        pub number: i32,
    }

    #[derive(Resource)]
    pub struct First {
        pub id: i64,
        #[crud(references(Line, by(order_id, number)))]
        pub order_id: i64,
        pub number: i32,
    }

    #[derive(Resource)]
    pub struct Misspelt {
        pub id: i64,
        pub order_id: i64,
        #[crud(references(Line, by(ordr_id, number)))]
        pub number: i32,
    }

    #[derive(Resource)]
    pub struct OtherTypes {
        pub id: i64,
        pub order_id: i32,
        #[crud(references(Line, by(order_id, number)))]
        pub number: i32,
    }

    #[derive(Resource)]
    pub struct Alone {
        pub id: i64,
        #[crud(references(Line))]
        pub number: i32,
    }

    #[derive(Resource)]
    pub struct Cleared {
        pub id: i64,
        pub order_id: i64,
        #[crud(references(Line, by(order_id, number), on_delete(set_null)))]
        pub number: Option<i32>,
    }

    #[derive(Resource)]
    pub struct Told {
        pub id: i64,
        #[crud(hidden)]
        pub order_id: Option<i64>,
        #[crud(references(Line, by(order_id, number), expand, relation(line)))]
        pub number: Option<i32>,
    }
}

mod to_users {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(author::name))]
    pub struct Note {
        pub id: i64,
        #[crud(references(users, expand, unconstrained))]
        pub author_id: i64,
    }
}
