use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter, sort)]
pub struct Product {
    pub id: i64,
    pub price: Money,
    #[crud(min = 0, custom = check, default = Money(0))]
    pub cost: Option<Money>,
}

fn check(_: &i64) -> Result<(), String> {
    Ok(())
}

fn main() {
    let _ = ProductPatch::default();
}
