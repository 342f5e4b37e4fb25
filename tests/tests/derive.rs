//! What the derive gives, looked at through the traits.

#![allow(missing_docs, unreachable_pub)]

use crud_runtime::descriptor::{
    ColumnDescriptor, Descriptor, Literal, OnDelete, Operation, Role, Rule, SortKey, Uniqueness,
};
use crud_runtime::prelude::*;
use crud_runtime::{Changes, Kind, Value, ValueRef};

/// A category.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort(name), default_sort(name), only(list, get, create))]
pub struct Category {
    pub id: i64,
    #[crud(unique)]
    pub name: String,
    pub description: Option<String>,
}

/// The state of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
pub enum Status {
    Pending,
    #[crud(rename = "done")]
    Shipped,
}

/// A product in the catalogue.
///
/// With a second line.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(name, price, stock, category_id),
    sort(name, price, created_at),
    default_sort(-created_at, name),
    pagination(default_limit = 20, max_limit = 100),
    unique(name, category_id),
    index(price, stock)
)]
pub struct Product {
    pub id: i64,
    #[crud(min_length = 1, max_length = 200, custom = no_shouting)]
    pub name: String,
    pub description: Option<String>,
    /// What it costs.
    #[crud(min = 0, max = 1e6)]
    pub price: f64,
    #[crud(default = 0)]
    pub stock: i32,
    #[crud(references = Category, on_delete = cascade)]
    pub category_id: i64,
    #[crud(default = Status::Pending, rename = "state", column = "the state")]
    pub status: Status,
    #[crud(pattern = "^[A-Z]{3}$", unique, immutable)]
    pub code: Option<String>,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
    #[crud(updated_at)]
    pub updated_at: DateTime<Utc>,
    #[crud(precision = 10, scale = 2)]
    pub weight: Decimal,
    #[crud(write_only)]
    pub secret: String,
    #[crud(one_of("a", "b"), default = "a")]
    pub grade: String,
}

fn no_shouting(text: &str) -> Result<(), String> {
    if text.chars().any(char::is_lowercase) { Ok(()) } else { Err("must not shout".to_owned()) }
}

#[derive(Resource)]
#[crud(prefix = "/v1/keys", table = "key table", tags("Keys", "Other"), rename_all = "camelCase")]
struct Key {
    #[crud(id)]
    key_text: String,
    the_value: Option<i32>,
}

fn product() -> &'static Descriptor {
    Product::DESCRIPTOR
}

#[test]
fn names_come_from_the_struct() {
    let product = product();
    assert_eq!((product.name, product.prefix, product.table), ("Product", "/products", "products"));
    assert_eq!(product.tags, ["products"]);
    assert_eq!(product.module, module_path!());
    assert_eq!(product.doc, "A product in the catalogue.\n\nWith a second line.");
    assert_eq!((Category::DESCRIPTOR.prefix, Category::DESCRIPTOR.doc), ("/categories", "A category."));
}

#[test]
fn attributes_override_names() {
    let key = Key::DESCRIPTOR;
    assert_eq!((key.prefix, key.table), ("/v1/keys", "key table"));
    assert_eq!(key.tags, ["Keys", "Other"]);
    let value = &key.columns[1];
    assert_eq!((value.json, value.key, value.column), ("theValue", "\"theValue\":", "the_value"));
    assert_eq!((key.id, key.columns[0].role), (0, Role::Id));
}

#[test]
fn lists_reach_the_columns() {
    fn names<'a>(columns: impl Iterator<Item = &'a ColumnDescriptor>) -> Vec<&'a str> {
        columns.map(|column| column.name).collect()
    }
    assert_eq!(names(product().filterable()), ["name", "price", "stock", "category_id"]);
    assert_eq!(names(product().sortable()), ["name", "price", "created_at"]);
    assert_eq!(names(Category::DESCRIPTOR.filterable()), ["id", "name", "description"]);
    assert_eq!(product().default_sort, [SortKey::descending(8), SortKey::ascending(1)]);
    assert_eq!(product().uniques, [[1, 5]]);
    assert_eq!(product().indexes, [[3, 4]]);
    let pages = product().pagination.expect("pages are on");
    assert_eq!((pages.default_limit, pages.max_limit), (20, 100));
}

#[test]
fn only_limits_the_operations() {
    let operations = Category::DESCRIPTOR.operations;
    let offered = Operation::ALL.map(|operation| operations.contains(operation));
    assert_eq!(offered, [true, true, true, false, false]);
}

#[test]
fn columns_know_their_attributes() {
    let column = |name: &str| product().columns.iter().find(|column| column.name == name).expect("a column");
    assert_eq!(column("price").doc, "What it costs.");
    assert!(matches!(column("price").rules, [Rule::Min(Literal::Int(0)), Rule::Max(Literal::Float(_))]));
    assert_eq!(column("status").kind, Kind::Enum(&["pending", "done"]));
    assert_eq!((column("status").json, column("status").column), ("state", "the state"));
    assert_eq!(column("status").default.map(|f| f()), Some(Value::Text("pending".to_owned())));
    assert_eq!(column("stock").default.map(|f| f()), Some(Value::Int(0)));
    assert_eq!(column("code").unique, Some(Uniqueness::All));
    assert!(column("code").immutable && column("code").nullable);
    assert!(matches!(column("code").rules, [Rule::Pattern("^[A-Z]{3}$"), Rule::MaxLength(255)]));
    let reference = column("category_id").references.expect("a reference");
    assert_eq!(((reference.target)().name, reference.on_delete), ("Category", OnDelete::Cascade));
    assert_eq!((column("weight").precision, column("weight").scale), (10, 2));
    assert_eq!((column("created_at").role, column("updated_at").role), (Role::CreatedAt, Role::UpdatedAt));
    assert!(column("secret").write_only);
}

#[test]
fn custom_checks_run_on_the_typed_value() {
    let Some(Rule::Custom(check)) = product().columns[1].rules.last() else { panic!("a custom rule") };
    assert_eq!(check(ValueRef::Text("Chair")), Ok(()));
    assert_eq!(check(ValueRef::Text("CHAIR")), Err("must not shout".to_owned()));
}

#[test]
fn a_new_record_says_what_is_set() {
    let new = NewProduct::new("Chair", 9.5, 3, Decimal::ONE, "s3cret").stock(5).description("Oak");
    let shown = format!("{new:?}");
    assert!(shown.contains("Chair") && !shown.contains("s3cret"), "{shown}");
    let changes = Changes::from(new);
    let set: Vec<usize> = changes.iter().map(|(column, _)| column).collect();
    assert_eq!(set, [1, 2, 3, 4, 5, 7, 10, 11]);
    assert_eq!(changes.get(4), Some(&Value::Int(5)));
    assert_eq!(changes.get(7), Some(&Value::Null));
}

#[test]
fn a_patch_says_what_changes() {
    let patch = ProductPatch::default().price(3.0).description(None::<String>).status(Status::Shipped);
    let changes = Changes::from(patch);
    assert_eq!(changes.get(3), Some(&Value::Float(3.0)));
    assert_eq!(changes.get(2), Some(&Value::Null));
    assert_eq!(changes.get(6), Some(&Value::Text("done".to_owned())));
    assert_eq!(changes.len(), 3);
}

#[test]
fn statements_quote_and_bind() {
    let sql = product().sqlite.expect("statements");
    assert!(sql.insert.starts_with("INSERT INTO \"products\" (\"name\", \"description\", "), "{}", sql.insert);
    assert!(sql.insert.contains("?12) RETURNING \"id\", \"name\""), "{}", sql.insert);
    assert_eq!(sql.insert_columns, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    let key = Key::DESCRIPTOR.sqlite.expect("statements");
    assert_eq!(key.get, "SELECT \"key_text\", \"the_value\" FROM \"key table\" WHERE \"key_text\" = ?1");
    assert_eq!(
        key.insert,
        "INSERT INTO \"key table\" (\"key_text\", \"the_value\") VALUES (?1, ?2) RETURNING \"key_text\", \"the_value\""
    );
    assert_eq!(key.delete, "DELETE FROM \"key table\" WHERE \"key_text\" = ?1 RETURNING \"key_text\", \"the_value\"");
    assert_eq!((key.update, key.returning), ("UPDATE \"key table\" SET ", " RETURNING \"key_text\", \"the_value\""));
}

#[test]
fn fields_are_terms() {
    let query = Product::FIELDS.price.gt(10.0).and(Product::FIELDS.status.eq(Status::Pending)).limit(5);
    let query = query.sort(Product::FIELDS.name.asc()).into_list_query();
    assert_eq!(query.sort, [SortKey::ascending(1), SortKey::ascending(0)]);
    let _ = Key::FIELDS.the_value.is_null();
}
