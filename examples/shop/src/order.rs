//! [`Order`]: a customer's order, and its [`Status`].

use crud_runtime::prelude::*;

use crate::Product;

/// Status of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
pub enum Status {
    /// Not paid yet.
    Pending,
    /// Paid, and to be sent.
    Paid,
    /// On its way.
    Shipped,
    /// The customer has it.
    Delivered,
    /// Called off.
    Cancelled,
}

/// An order of a customer.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    admin(title(order_number), list(order_number, status, total_price, product_id, created_at), group = "Sales"),
    filter(order_number, status, total_price, created_at, product_id, product::name, product::price),
    sort(created_at, total_price, order_number, product::name),
    search(order_number),
    default_sort(desc(created_at)),
    pagination(default_limit = 10, max_limit = 100, cursor),
    soft_delete,
    batch(mode(partial)),
    audit,
    access(read(public), write(authenticated), delete(role("admin")), purge(role("admin")), history(authenticated))
)]
pub struct Order {
    /// The order's id.
    pub id: i64,
    /// The number that the customer knows; no two orders share one.
    #[crud(unique)]
    pub order_number: String,
    /// The product that was ordered, if it was one of the catalogue.
    #[crud(references(Product, expand))]
    pub product_id: Option<i64>,
    /// The price of the whole order.
    pub total_price: f64,
    /// The state of the delivery.
    #[crud(default(Status::Pending))]
    pub status: Status,
    /// When it was placed.
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    #[crud(updated_at)]
    pub updated_at: DateTime<Utc>,
    /// When it was deleted, if it was.
    pub deleted_at: Option<DateTime<Utc>>,
}
