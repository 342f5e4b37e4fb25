use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter, sort)]
pub struct Product {
    #[crud(filter = of, sort(off))]
    pub id: i64,
    pub name: String,
}

fn main() {}
