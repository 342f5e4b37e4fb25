use crud_runtime::prelude::*;

#[derive(ResourceEnum)]
#[crud(rename_all = "lowercase")]
pub enum Status {
    Pending,
    #[crud(rename = "pending")]
    Waiting,
}

fn main() {}
