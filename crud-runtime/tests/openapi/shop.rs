//! A small shop, as its structs' expansions describe it.

use chrono::{DateTime, Utc};
use crud_runtime::descriptor::{
    ColumnDescriptor, Descriptor, Literal, OnDelete, OverLimit, Pagination, Role, Rule, SortKey, Uniqueness,
};
use crud_runtime::{ResourceOptions, Value};

static CATEGORY: Descriptor = Descriptor::new(
    "Category",
    "shop::category",
    "/categories",
    "categories",
    {
        const COLUMNS: &[ColumnDescriptor] = &[
            ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").doc("The category's number.").role(Role::Id),
            ColumnDescriptor::new::<String>("name", "name", "\"name\":", "name")
                .doc("What it is called; no two categories share a name.")
                .unique(Uniqueness::All)
                .rules(&[Rule::MaxLength(255)])
                .filterable()
                .sortable(),
            ColumnDescriptor::new::<Option<String>>("description", "description", "\"description\":", "description")
                .doc("What belongs to it."),
        ];
        COLUMNS
    },
    0,
)
.doc("A group of products.")
.tags(&["categories"])
.default_sort(&[SortKey::ascending(1)])
.pagination(Pagination { default_limit: 10, max_limit: 100, over_limit: OverLimit::Reject });

static PRODUCT: Descriptor = Descriptor::new(
    "Product",
    "shop::product",
    "/products",
    "products",
    {
        const COLUMNS: &[ColumnDescriptor] = &[
            ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").doc("The product's number.").role(Role::Id),
            ColumnDescriptor::new::<String>("name", "name", "\"name\":", "name")
                .doc("What it is called.")
                .rules(&[Rule::MinLength(1), Rule::MaxLength(200)])
                .filterable()
                .sortable(),
            ColumnDescriptor::new::<Option<String>>("description", "description", "\"description\":", "description")
                .doc("What it is, in a sentence or two."),
            ColumnDescriptor::new::<f64>("price", "price", "\"price\":", "price")
                .doc("What one piece costs.")
                .rules(&[Rule::Min(Literal::Int(0))])
                .filterable()
                .sortable(),
            ColumnDescriptor::new::<i32>("stock", "stock", "\"stock\":", "stock")
                .doc("How many pieces are in the warehouse.")
                .filterable(),
            ColumnDescriptor::new::<i64>("category_id", "category_id", "\"category_id\":", "category_id")
                .doc("The category it belongs to.")
                .references(|| &CATEGORY, OnDelete::Restrict)
                .filterable(),
            ColumnDescriptor::new::<DateTime<Utc>>("created_at", "created_at", "\"created_at\":", "created_at")
                .doc("When it came into the catalogue.")
                .role(Role::CreatedAt)
                .sortable(),
            ColumnDescriptor::new::<DateTime<Utc>>("updated_at", "updated_at", "\"updated_at\":", "updated_at")
                .doc("When it was last changed.")
                .role(Role::UpdatedAt),
        ];
        COLUMNS
    },
    0,
)
.doc("A product in the catalogue.")
.tags(&["products"])
.default_sort(&[SortKey::descending(6)])
.pagination(Pagination { default_limit: 20, max_limit: 100, over_limit: OverLimit::Reject });

static ORDER: Descriptor = Descriptor::new(
    "Order",
    "shop::order",
    "/orders",
    "orders",
    {
        const COLUMNS: &[ColumnDescriptor] = &[
            ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").doc("The order's id.").role(Role::Id),
            ColumnDescriptor::new::<String>("order_number", "order_number", "\"order_number\":", "order_number")
                .doc("The number that the customer knows; no two orders share one.")
                .unique(Uniqueness::All)
                .rules(&[Rule::MaxLength(255)])
                .filterable()
                .sortable(),
            ColumnDescriptor::new::<f64>("total_price", "total_price", "\"total_price\":", "total_price")
                .doc("What all of it costs.")
                .filterable()
                .sortable(),
            ColumnDescriptor::new::<String>("status", "status", "\"status\":", "status")
                .doc("How far it has come, such as `pending`, `paid` or `shipped`.")
                .default(|| Value::Text("pending".to_owned()))
                .filterable(),
            ColumnDescriptor::new::<DateTime<Utc>>("created_at", "created_at", "\"created_at\":", "created_at")
                .doc("When it was placed.")
                .role(Role::CreatedAt)
                .filterable()
                .sortable(),
            ColumnDescriptor::new::<DateTime<Utc>>("updated_at", "updated_at", "\"updated_at\":", "updated_at")
                .doc("When it was last changed.")
                .role(Role::UpdatedAt),
            ColumnDescriptor::new::<Option<DateTime<Utc>>>("deleted_at", "deleted_at", "\"deleted_at\":", "deleted_at")
                .doc("When it was deleted, if it was.")
                .read_only(),
        ];
        COLUMNS
    },
    0,
)
.doc("An order of a customer.")
.tags(&["orders"])
.default_sort(&[SortKey::descending(4)])
.pagination(Pagination { default_limit: 10, max_limit: 100, over_limit: OverLimit::Reject });

pub(crate) fn resources() -> Vec<ResourceOptions> {
    [&CATEGORY, &PRODUCT, &ORDER].map(ResourceOptions::new).into()
}
