use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(precision = 19)]
    pub a: Decimal,
    #[crud(precision = 0)]
    pub b: Decimal,
    #[crud(precision = 4, scale = 5)]
    pub c: Decimal,
    #[crud(precision = 4)]
    pub d: f64,
    #[crud(scale = 30)]
    pub e: Option<Decimal>,
}

fn main() {}
