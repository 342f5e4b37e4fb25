use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(
    scope(role("a"), price = claim("price")),
    scope(role("b"), created_at = claim("time")),
    scope(role("c"), author = claim("author")),
    scope(role("d"), custmer_id = claim("customer"))
)]
pub struct Ticket {
    pub id: i64,
    pub price: f64,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
    #[crud(owner)]
    pub author: String,
    pub customer_id: i64,
}

fn main() {}
