//! Records that refer to others: malformed, twice, what is not there, and what does not hold the key.

use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
#[crud(has_many(orders(Order.customer_id), orders(Order.customer_id), name(Order.customer_id), or(Order.customer_id)))]
struct Customer {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(has_many(orders(Order.buyer_id, limit = 0), others(Order.number), all(Order.customer_id, sort(-made, number, number))))]
struct Buyer {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(has_many(orders, others(Order), more(Order.), rest(Order.customer_id limit = 1), last(Order.customer_id, limt = 2)))]
struct Guest {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(has_many())]
struct Empty {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(pagination(default_limit = 100), has_many(orders(Order.customer_id, limit = 15), others(Order.customer_id, limit = 6)))]
struct Shop {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
struct Order {
    id: i64,
    customer_id: Option<i64>,
    number: String,
}

fn main() {}
