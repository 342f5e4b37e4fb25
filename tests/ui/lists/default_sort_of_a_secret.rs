use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(default_sort(password))]
pub struct User {
    pub id: i64,
    #[crud(write_only)]
    pub password: String,
}

fn main() {}
