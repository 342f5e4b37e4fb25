//! Every attribute on one struct.

use crud_runtime::prelude::*;

/// The state of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "kebab-case")]
pub enum State {
    OnSale,
    SoldOut,
}

/// A category.
#[derive(Debug, Clone, Resource)]
pub struct Category {
    pub id: i64,
}

/// A product.
#[derive(Debug, Clone, Resource)]
#[crud(
    crate(::crud_runtime),
    prefix = "/v1/products",
    table = "goods",
    tags("Products"),
    filter(name, price),
    sort(name, price, made),
    default_sort(desc(made), name),
    pagination(default_limit = 10, max_limit = 50, over_limit(clamp)),
    soft_delete,
    batch(max_size = 50, mode(partial)),
    audit(without(user)),
    operations(except(delete)),
    unique(name, category_id),
    index(price, made),
    rename_all = "camelCase"
)]
pub struct Product {
    #[crud(id)]
    pub number: i64,
    /// The name.
    #[crud(length(min = 1, max = 200), validate(pattern = "^[A-Z]", custom(check)), unique(active), index)]
    pub name: String,
    #[crud(validate(email), immutable, rename = "mail", column = "mail_address")]
    pub seller_mail: Option<String>,
    #[crud(validate(url), read_only)]
    pub page: Option<String>,
    #[crud(range(min = 0, max = 1e6), decimal(12, 2), filter, sort)]
    pub price: Decimal,
    #[crud(default(State::OnSale), validate(one_of("on-sale", "sold-out")), filter, sort)]
    pub state: State,
    #[crud(references(Category, on_delete(restrict)))]
    pub category_id: Option<i64>,
    #[crud(write_only)]
    pub secret: String,
    #[crud(hidden, default = "")]
    pub note: String,
    #[crud(created_at)]
    pub made: DateTime<Utc>,
    #[crud(updated_at)]
    pub changed: DateTime<Utc>,
    #[crud(deleted_at, index)]
    pub removed: Option<DateTime<Utc>>,
    pub is_deleted: bool,
}

fn check(_: &str) -> Result<(), String> {
    Ok(())
}

#[test]
fn every_attribute_may_be_on_one_struct() {
    let product = Product::DESCRIPTOR;
    assert_eq!((product.columns.len(), product.id, product.prefix), (13, 0, "/v1/products"));
    assert_eq!(product.filterable().count(), 4);
    assert_eq!(product.sortable().count(), 5);
    assert_eq!(super::column::<Product>("seller_mail").json, "mail");
    assert_eq!(super::column::<Product>("category_id").json, "categoryId");
    let new = NewProduct::new("Chair", Decimal::ONE, "secret").category_id(5).state(State::SoldOut);
    assert_eq!(crud_runtime::adapter::Changes::from(new).len(), 7);
}
