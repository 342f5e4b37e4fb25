use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(idempotency(ttl_hours = 0))]
pub struct Product {
    pub id: i64,
}

#[derive(Resource)]
#[crud(idempotency(required = true, ttl = 24, ttl_hours = 9000))]
pub struct Order {
    pub id: i64,
}

#[derive(Resource)]
#[crud(idempotency(ttl_hours = "a day"), idempotency)]
pub struct Payment {
    pub id: i64,
}

#[derive(Resource)]
#[crud(view = "SELECT 1 AS id", depends(), idempotency)]
pub struct Total {
    pub id: i64,
}

#[derive(Schema)]
#[crud(idempotency)]
pub struct Body {
    pub text: String,
}

fn main() {}
