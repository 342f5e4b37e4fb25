//! `filter`, `sort`, `default_sort` and `operations`: names of fields and operations.

mod default_sort_by_a_field_of_another_record {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(default_sort(desc(author::name), author.name, title), has_many(others(Book::author_id, sort(author::name))))]
    pub struct Book {
        pub id: i64,
        pub title: String,
        #[crud(references(Author))]
        pub author_id: i64,
    }

    #[derive(Resource)]
    pub struct Author {
        pub id: i64,
        pub name: String,
    }
}

mod default_sort_is_not_sortable {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(sort(name), default_sort(desc(price)))]
    pub struct Product {
        pub id: i64,
        pub name: String,
        pub price: f64,
    }
}

mod default_sort_names_nothing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(default_sort(desc(creatd_at)))]
    pub struct Product {
        pub id: i64,
        #[crud(created_at)]
        pub created_at: DateTime<Utc>,
    }
}

mod default_sort_of_a_secret {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(default_sort(password))]
    pub struct User {
        pub id: i64,
        #[crud(write_only)]
        pub password: String,
    }
}

mod default_sort_of_what_cannot_be_compared {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(default_sort(photo))]
    pub struct Product {
        pub id: i64,
        pub photo: Vec<u8>,
    }
}

mod every_filter_called_as_a_parameter {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter)]
    pub struct Product {
        pub id: i64,
        pub limit: i32,
    }
}

mod filter_and_sort_of_a_secret {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(password), sort(password))]
    pub struct User {
        pub id: i64,
        #[crud(hidden)]
        pub password: Option<String>,
    }
}

mod filter_called_as_a_connective {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(and, negation))]
    pub struct Rule {
        pub id: i64,
        pub and: String,
        #[crud(rename = "not")]
        pub negation: bool,
    }
}

mod filter_called_as_a_parameter {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(sort, limit, skip))]
    pub struct Product {
        pub id: i64,
        pub sort: String,
        pub limit: i32,
        #[crud(rename = "include_deleted")]
        pub skip: bool,
    }
}

mod filter_called_as_an_operator {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(price__gt))]
    pub struct Product {
        pub id: i64,
        pub price: f64,
        pub price__gt: f64,
    }
}

mod filter_names_nothing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(nmae, price))]
    pub struct Product {
        pub id: i64,
        pub name: String,
        pub price: f64,
    }
}

mod filter_of_a_secret {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(password))]
    pub struct User {
        pub id: i64,
        #[crud(write_only)]
        pub password: String,
    }
}

mod filter_of_what_cannot_be_compared {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(photo, words, extra))]
    pub struct Product {
        pub id: i64,
        pub photo: Vec<u8>,
        pub words: Option<Vec<String>>,
        pub extra: serde_json::Value,
    }
}

mod names_a_field_twice {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(name, name), sort(name, id, name), default_sort(name, desc(name)), unique(name, name))]
    pub struct Product {
        pub id: i64,
        pub name: String,
    }
}

mod off_misspelt {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter, sort)]
    pub struct Product {
        #[crud(filter(of), sort(off))]
        pub id: i64,
        pub name: String,
    }
}

mod off_of_a_named_key {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(id, name), sort)]
    pub struct Product {
        #[crud(filter(off), sort(off))]
        pub id: i64,
        pub name: String,
    }
}

mod off_of_a_plain_field {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter(name), sort)]
    pub struct Product {
        pub id: i64,
        pub name: String,
        #[crud(filter(off))]
        pub price: f64,
        #[crud(sort(off))]
        pub stock: i32,
    }
}

mod only_and_except {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(operations(list, except(delete)))]
    pub struct Product {
        pub id: i64,
    }
}

mod internal_and_only {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(internal, operations(list))]
    pub struct Product {
        pub id: i64,
    }
}

mod only_nothing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(operations())]
    pub struct Product {
        pub id: i64,
    }
}

mod operation_twice {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(operations(except(delete, delete)))]
    pub struct Product {
        pub id: i64,
    }
}

mod some_misspelt {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(
        index(name, shop, some()),
        index(shop, some(shop), some(name)),
        index(shop, name, some(shop, name)),
        index(shop, sone(shop)),
        index(shop, some = shop),
        index(shop, some(-shop)),
    )]
    pub struct Product {
        pub id: i64,
        pub name: Option<String>,
        pub shop: Option<i64>,
    }
}

mod some_of_the_wrong_field {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(
        soft_delete,
        index(name, shop, some(name)),
        index(name, some(shop)),
        index(name, some(price)),
        index(name, some(shpo)),
        index(name, some(is_deleted)),
        index(some(shop)),
    )]
    pub struct Product {
        pub id: i64,
        pub name: String,
        pub price: f64,
        pub shop: Option<i64>,
        pub is_deleted: bool,
        pub deleted_at: Option<DateTime<Utc>>,
    }
}

mod sort_names_nothing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(sort(zzz))]
    pub struct Product {
        pub id: i64,
        pub name: String,
    }
}

mod sort_of_a_secret {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct User {
        pub id: i64,
        #[crud(hidden, sort, default = "")]
        pub password: String,
    }
}

mod sort_of_what_cannot_be_compared {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(sort)]
        pub photo: Vec<u8>,
        #[crud(filter)]
        pub words: Vec<String>,
    }
}

mod unique_and_index_name_nothing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(unique(name, shop), index(pric))]
    pub struct Product {
        pub id: i64,
        pub name: String,
        pub price: f64,
    }
}

mod unknown_operation {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(operations(list, gte, creat))]
    pub struct Product {
        pub id: i64,
    }
}
