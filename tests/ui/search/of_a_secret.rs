use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
#[crud(search(title, token, password, salary))]
struct User {
    id: i64,
    title: String,
    #[crud(hidden, default = "")]
    token: String,
    #[crud(write_only)]
    password: String,
    #[crud(visible(role("admin")))]
    salary: Option<String>,
}

fn main() {}
