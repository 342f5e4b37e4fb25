use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
#[crud(upsert(id), upsert(token), upsert(secret), upsert(offer), upsert(code), upsert(number))]
struct Part {
    id: i64,
    #[crud(unique, hidden, default = "")]
    token: String,
    #[crud(unique, write_only)]
    secret: String,
    #[crud(unique, visible(role("buyer")), default = "")]
    offer: String,
    #[crud(unique)]
    code: Option<String>,
    #[crud(unique, read_only, default = 0)]
    number: i64,
}

fn main() {}
