//! Names of tables, columns, JSON members, routes and tags.

mod case_without_neighbour {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(rename_all = "5")]
    pub struct Product {
        pub id: i64,
    }
}

mod crate_in_quotes {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(crate("::crud_runtime"))]
    pub struct Product {
        pub id: i64,
    }
}

mod empty_names {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(rename = "", column = "")]
        pub name: String,
    }
}

mod empty_table {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(table = "")]
    pub struct Product {
        pub id: i64,
    }
}

mod former_names {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        #[crud(column(renamed_from = "key"))]
        pub id: i64,
        #[crud(column(renamed_from = "price"))]
        pub title: String,
        #[crud(column(renamed_from = "PRICE"))]
        pub price: i64,
        #[crud(column(renamed_from = ""))]
        pub stock: i64,
        #[crud(column(renamed_from = "colour"))]
        pub color: String,
        #[crud(column(renamed_from = "colour"))]
        pub shade: String,
        #[crud(column(renamed_from = old))]
        pub note: String,
    }

    #[derive(Resource)]
    pub struct Order {
        pub id: i64,
        #[crud(tenant, column(renamed_from = "shop"))]
        pub shop_id: i64,
    }
}

mod former_struct_names {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(renamed_from = "orders")]
    pub struct Purchase {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(renamed_from("Order", "Sale"))]
    pub struct Receipt {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(renamed_from = "Product")]
    pub struct Product {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(renamed_from = "Basket", renamed_from = "Basket")]
    pub struct Cart {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(renamed_from(table = "orders"), renamed_from("Order", name = "x"))]
    pub struct Invoice {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(view("SELECT 1 AS id", reads()), renamed_from = "Total")]
    pub struct Sum {
        pub id: i64,
    }
}

mod name_with_nul {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(rename = "na\0me")]
        pub name: String,
    }
}

mod one_json_name_by_case {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(rename_all = "camelCase")]
    pub struct Product {
        pub id: i64,
        pub unit_price: f64,
        #[crud(rename = "unitPrice")]
        pub price: f64,
    }
}

mod prefix_of_a_slash {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(prefix = "/")]
    pub struct Product {
        pub id: i64,
    }
}

mod prefix_of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(prefix = products, table = 5)]
    pub struct Product {
        pub id: i64,
    }
}

mod prefix_with_dots {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(prefix = "/a/../b")]
    pub struct Product {
        pub id: i64,
    }
}

mod prefix_with_parameter {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(prefix = "/shops/{shop}/products")]
    pub struct Product {
        pub id: i64,
    }
}

mod prefix_with_slash_at_the_end {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(prefix = "/products/")]
    pub struct Product {
        pub id: i64,
    }
}

mod prefix_without_slash {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(prefix = "products")]
    pub struct Product {
        pub id: i64,
    }
}

mod relative_crate {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(crate(crud_runtime))]
    pub struct Product {
        pub id: i64,
    }
}

mod table_of_the_database {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(table = "sqlite_products")]
    pub struct Product {
        pub id: i64,
    }
}

mod table_with_schema {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(table = "sales.invoice")]
    pub struct Invoice {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(table(schema = "db.sales"))]
    pub struct Receipt {
        pub id: i64,
    }
}

mod table_of_another_program {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(table(unmanaged, new))]
    pub struct Invoice {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(table(unmanaged), renamed_from("Bill", table = "bills"))]
    pub struct Receipt {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(table(unmanaged), view("SELECT 1 AS id", reads()))]
    pub struct Sum {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(table(collation(C)))]
    pub struct Total {
        pub id: i64,
    }
}

mod tags_of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(tags(Products, 5, ""))]
    pub struct Product {
        pub id: i64,
    }
}

mod two_fields_with_one_column {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(column = "Title")]
        pub name: String,
        pub title: String,
    }
}

mod two_fields_with_one_json_name {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(rename = "title")]
        pub name: String,
        pub title: String,
    }
}

mod unknown_case {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(rename_all = "camelcase")]
    pub struct Product {
        pub id: i64,
    }
}
