use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter(password), sort(password))]
pub struct User {
    pub id: i64,
    #[crud(hidden)]
    pub password: Option<String>,
}

fn main() {}
