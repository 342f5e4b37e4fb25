use crud_runtime::prelude::*;

pub struct Money;

#[derive(Resource)]
#[crud(filter)]
pub struct Product {
    pub id: i64,
    #[crud(filter, sort, min = 0, default = Money, custom = check)]
    pub price: Money,
    pub other: Option<Money>,
}

fn check(_: &Money) -> Result<(), String> {
    Ok(())
}

fn main() {
    let _ = Product::FIELDS.price;
    let _ = ProductPatch::default();
}
