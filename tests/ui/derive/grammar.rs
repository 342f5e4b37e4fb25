//! The grammar of `#[crud(…)]`: brackets, commas, values, unknown and duplicate attributes.

mod duplicate_in_two_attributes {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(table = "a")]
    #[crud(table = "b")]
    pub struct Product {
        pub id: i64,
    }
}

mod duplicate_on_field {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(range(min = 0, min = 1))]
        pub price: f64,
        #[crud(unique)]
        #[crud(unique)]
        pub name: String,
    }
}

mod duplicate_on_struct {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(prefix = "/a", filter, prefix = "/b", filter(id))]
    pub struct Product {
        pub id: i64,
    }
}

mod empty_lists {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(), sort(), default_sort(), tags(), operations(), unique(), access())]
    pub struct Product {
        pub id: i64,
        #[crud(validate(one_of()))]
        pub name: String,
    }
}

mod field_attribute_on_struct {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(min = 0, references = Category)]
    pub struct Product {
        pub id: i64,
    }
}

mod half_typed {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(name), default_sort(-), pagination(default_limit), operations(list,))]
    pub struct Product {
        pub id: i64,
        #[crud(length(min = ), references())]
        pub name: String,
        #[crud(m)]
        pub other: String,
        #[crud()]
        pub third: String,
        #[crud(validate(custom(crate::)))]
        pub fourth: String,
    }
}

mod key_as_path {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(crud::filter)]
    pub struct Product {
        pub id: i64,
    }
}

mod list_of_text {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter("name"), sort(1), default_sort("-name"))]
    pub struct Product {
        pub id: i64,
        pub name: String,
    }
}

mod literal_instead_of_key {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud("filter", 5)]
    pub struct Product {
        pub id: i64,
    }
}

mod missing_comma {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter sort)]
    pub struct Product {
        pub id: i64,
        #[crud(range(min = 0 max = 5))]
        pub price: f64,
    }
}

mod missing_value {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(prefix =, table)]
    pub struct Product {
        pub id: i64,
        #[crud(range(min =, max))]
        pub price: f64,
        #[crud(default =)]
        pub name: String,
    }
}

mod no_parentheses {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud]
    pub struct Product {
        pub id: i64,
        #[crud = "unique"]
        pub name: String,
    }
}

mod other_brackets {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud[filter]]
    pub struct Product {
        pub id: i64,
        #[crud{unique}]
        pub name: String,
    }
}

mod struct_attribute_on_field {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(pagination, default_sort(name), prefix = "/a")]
        pub name: String,
    }
}

mod two_commas {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter,, sort)]
    pub struct Product {
        pub id: i64,
    }
}

mod unknown_everywhere {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(tabel = "a", tagz("b"))]
    pub struct Product {
        #[crud(idd)]
        pub id: i64,
        #[crud(uniqe, idnex)]
        pub name: String,
    }
}

mod unknown_on_field {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(min_lenght = 1, max_lenght = 5)]
        pub name: String,
    }
}

mod unknown_on_struct {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(pagnation)]
    pub struct Product {
        pub id: i64,
    }
}

mod unknown_without_neighbour {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(zzz)]
    pub struct Product {
        pub id: i64,
        #[crud(qqq = 1)]
        pub name: String,
    }
}

mod value_where_none_belongs {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter = true)]
    pub struct Product {
        #[crud(id(true))]
        pub id: i64,
        #[crud(unique = true, immutable(yes))]
        pub name: String,
    }
}

mod misplaced {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(schema = "sales", only(list), except(delete), validate(complete), expand, email)]
    pub struct Product {
        pub id: i64,
        #[crud(email, min_length = 1, pattren = "^[A-Z]")]
        pub name: String,
        #[crud(references(Category), on_delete(cascade), scale = 2, expnd)]
        pub category_id: i64,
    }

    #[derive(Resource)]
    pub struct Category {
        pub id: i64,
    }
}

mod other_signs {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(
        filter(title, author.name),
        sort(title, author.name),
        default_sort(-title),
        has_many(reviews(Review.book_id, limit = 5)),
        pagination(over_limit = clamp, count = capped(10_000)),
        access(read = public, write = any(role("clerk"), permission("write"))),
        scope(role("customer"), customer_id = claim("customer")),
        hooks(before = stamp)
    )]
    pub struct Book {
        pub id: i64,
        pub title: String,
        #[crud(references = super::other_signs::Author)]
        pub author_id: i64,
        #[crud(owner(except = any(role("staff"), permission("all"))))]
        pub customer_id: i64,
        #[crud(references(Author, on_delete = cascade, relation = other))]
        pub other_id: i64,
        #[crud(default = Status::Open, transitions(start: Open -> Busy : role("staff")))]
        pub status: Status,
    }

    #[derive(Resource)]
    pub struct Author {
        pub id: i64,
        pub name: String,
    }

    #[derive(Resource)]
    pub struct Review {
        pub id: i64,
        #[crud(references(Book))]
        pub book_id: i64,
    }

    #[derive(Resource)]
    #[crud(view = "SELECT 1 AS id")]
    pub struct Sent {
        pub id: i64,
    }

    #[derive(Debug, Clone, PartialEq, Eq, ResourceEnum)]
    pub enum Status {
        Open,
        Busy,
    }
}
