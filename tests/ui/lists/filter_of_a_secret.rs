use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter(password))]
pub struct User {
    pub id: i64,
    #[crud(write_only)]
    pub password: String,
}

fn main() {}
