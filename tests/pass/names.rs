//! `prefix`, `table`, `tags`, `rename_all`, `rename`, `column`, and the default names.

use crud_runtime::prelude::*;

/// An item of an order.
///
/// It has two paragraphs.
#[derive(Resource)]
struct OrderItem {
    id: i64,
    /// Quantity.
    unit_count: i32,
}

#[test]
fn names_are_derived_from_the_struct() {
    let item = OrderItem::DESCRIPTOR;
    assert_eq!((item.name, item.module), ("OrderItem", module_path!()));
    assert_eq!((item.prefix, item.table), ("/order_items", "order_items"));
    assert_eq!(item.tags, ["order_items"]);
    let count = super::column::<OrderItem>("unit_count");
    assert_eq!((count.json, count.key, count.column), ("unit_count", "\"unit_count\":", "unit_count"));
}

#[test]
fn renamed_structs_keep_their_tables_and_routes() {
    #[derive(Resource)]
    #[crud(renamed_from = "Order")]
    struct Purchase {
        id: i64,
    }

    #[derive(Resource)]
    #[crud(renamed_from = "Purchase", renamed_from("Order", table = "shop_orders"))]
    struct Sale {
        id: i64,
    }

    #[derive(Resource)]
    #[crud(renamed_from = "Sale", table = "bills", prefix = "/bills")]
    struct Bill {
        id: i64,
    }

    let names = |resource: &'static crud_runtime::descriptor::Descriptor| {
        let formers: Vec<_> = resource.formers.iter().map(|former| (former.name, former.table)).collect();
        (resource.table, resource.prefix, formers)
    };
    assert_eq!(names(Purchase::DESCRIPTOR), ("orders", "/orders", vec![("Order", "orders")]));
    let formers = vec![("Purchase", "shop_orders"), ("Order", "shop_orders")];
    assert_eq!(names(Sale::DESCRIPTOR), ("shop_orders", "/orders", formers));
    assert_eq!(names(Bill::DESCRIPTOR), ("bills", "/bills", vec![("Sale", "sales")]));
}

#[test]
fn doc_comments_are_kept() {
    assert_eq!(OrderItem::DESCRIPTOR.doc, "An item of an order.\n\nIt has two paragraphs.");
    assert_eq!(super::column::<OrderItem>("unit_count").doc, "Quantity.");
    assert_eq!(super::column::<OrderItem>("id").doc, "");
}

#[test]
fn plurals_are_english() {
    #[derive(Resource)]
    struct Category {
        id: i64,
    }

    #[derive(Resource)]
    struct Person {
        id: i64,
    }

    assert_eq!((Category::DESCRIPTOR.prefix, Person::DESCRIPTOR.prefix), ("/categories", "/people"));
}

#[test]
fn attributes_override_names() {
    #[derive(Resource)]
    #[crud(prefix = "/v1/things", table = "thing table", tags("Things", "Old"))]
    struct Thing {
        id: i64,
        #[crud(rename = "the \"name\"", column = "the name")]
        name: String,
    }

    let thing = Thing::DESCRIPTOR;
    assert_eq!((thing.prefix, thing.table), ("/v1/things", "thing table"));
    assert_eq!(thing.tags, ["Things", "Old"]);
    let name = super::column::<Thing>("name");
    assert_eq!((name.json, name.key, name.column), ("the \"name\"", "\"the \\\"name\\\"\":", "the name"));
}

#[test]
fn rename_all_leaves_storage_alone() {
    #[derive(Resource)]
    #[crud(rename_all = "camelCase")]
    struct Thing {
        id: i64,
        unit_price: f64,
        #[crud(rename = "stock")]
        units_in_stock: i32,
    }

    let json: Vec<&str> = Thing::DESCRIPTOR.columns.iter().map(|column| column.json).collect();
    let columns: Vec<&str> = Thing::DESCRIPTOR.columns.iter().map(|column| column.column).collect();
    assert_eq!(json, ["id", "unitPrice", "stock"]);
    assert_eq!(columns, ["id", "unit_price", "units_in_stock"]);
}

#[test]
fn raw_identifiers_lose_their_mark() {
    #[derive(Resource)]
    #[crud(filter(r#type, r#match), default_sort(desc(r#type)))]
    struct r#Fn {
        id: i64,
        r#type: String,
        r#match: Option<i32>,
    }

    let columns: Vec<&str> = r#Fn::DESCRIPTOR.columns.iter().map(|column| column.json).collect();
    assert_eq!(columns, ["id", "type", "match"]);
    assert_eq!(r#Fn::DESCRIPTOR.name, "Fn");
    let _ = NewFn::new("a").r#match(5);
    let _ = r#Fn::FIELDS.r#type.eq("a");
}
