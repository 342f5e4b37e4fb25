use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(custom = wrong_type)]
    pub name: String,
    #[crud(custom = wrong_result)]
    pub other: String,
    #[crud(custom = missing)]
    pub third: String,
}

fn wrong_type(_: &i64) -> Result<(), String> {
    Ok(())
}

fn wrong_result(_: &str) -> bool {
    true
}

fn main() {}
