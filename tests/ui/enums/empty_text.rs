use crud_runtime::prelude::*;

#[derive(ResourceEnum)]
pub enum Status {
    #[crud(rename = "")]
    Pending,
}

fn main() {}
