use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(zzz)]
pub struct Product {
    pub id: i64,
    #[crud(qqq = 1)]
    pub name: String,
}

fn main() {}
