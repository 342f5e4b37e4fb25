use crud_runtime::prelude::*;

#[derive(ResourceEnum)]
pub enum Status {
    #[crud(rename = "a", rename = "b")]
    Pending,
}

fn main() {}
