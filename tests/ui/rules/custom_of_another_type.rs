use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(custom = check)]
    pub name: String,
}

fn check(_: &i64) -> Result<(), String> {
    Ok(())
}

fn main() {}
