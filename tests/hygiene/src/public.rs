//! A public resource: all that the derive makes of it is documented, nameable and reachable.

use renamed::prelude::*;

/// The state of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(crate(::renamed), rename_all = "snake_case")]
pub enum State {
    /// Available to buyers.
    OnSale,
    /// Not available.
    SoldOut,
}

/// A type of the user's own, which is neither `Clone` nor `PartialEq`.
#[derive(Debug)]
pub struct Sku(String);

impl Column for Sku {
    const KIND: renamed::column::Kind = renamed::column::Kind::Text;

    fn into_value(self) -> renamed::column::Value {
        renamed::column::Value::Text(self.0)
    }

    fn from_value(value: renamed::column::ValueRef<'_>) -> Result<Self, renamed::column::ColumnError> {
        String::from_value(value).map(Self)
    }
}

/// A category.
#[derive(Debug, Clone, Copy, Resource)]
#[crud(crate(::renamed), has_many(shelves(Shelf::category_id, sort(desc(id)))))]
pub struct Category {
    /// The key.
    pub id: i64,
    /// A reference to a resource of this module's own.
    #[crud(references(Shelf, relation(shelf), expand))]
    pub shelf_id: Option<i64>,
}

/// A shelf, which other modules do not see.
#[derive(Debug, Clone, Copy, Resource)]
#[crud(crate(::renamed))]
struct Shelf {
    id: i64,
    #[crud(references(Category, relation(category)))]
    category_id: i64,
}

/// The products' names.
#[derive(Debug, Resource)]
#[crud(
    crate(::renamed),
    view(sqlite = "SELECT id, name FROM products", postgres(include_str!("public.sql")), mysql(concat!("SELECT ", "1")), reads(Product)),
    scope(role("a"), id(claim("b")))
)]
pub struct ProductName {
    /// The key.
    pub id: i64,
    /// The name.
    pub name: Sku,
}

/// A product.
#[derive(Debug, Resource)]
#[crud(
    crate(::renamed),
    filter,
    sort,
    default_sort(desc(price)),
    pagination,
    unique(name, price),
    index(name, price),
    operations(list, get)
)]
pub struct Product {
    /// The key.
    pub id: i64,
    /// The name.
    #[crud(length(min = 1), validate(pattern = "^[A-Z]", custom(check)), unique)]
    pub name: String,
    // No doc comment, as far as the struct's own visibility allows.
    #[crud(range(min = 0, max = 5.5))]
    pub(crate) price: f64,
    /// Its state.
    #[crud(default(State::OnSale))]
    pub state: State,
    /// Its stock-keeping unit.
    pub sku: Sku,
    /// Its category.
    #[crud(references(Category))]
    pub category_id: Option<i64>,
    /// A secret.
    #[crud(write_only)]
    pub secret: String,
    inner: i32,
    /// Time of creation.
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
}

fn check(name: &str) -> Result<(), String> {
    if name.is_empty() { Err("must not be empty".to_owned()) } else { Ok(()) }
}

/// The names of the types beside the struct are the user's to use.
pub fn made(new: NewProduct, patch: ProductPatch) -> (NewProduct, ProductPatch, &'static ProductFields) {
    (new.name("Chair").state(State::SoldOut), patch.price(1.0), Product::FIELDS)
}
