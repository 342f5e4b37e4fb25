use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(custom = check)]
    pub name: Option<String>,
}

fn check(_: &str) -> bool {
    true
}

fn main() {}
