use crud_runtime::prelude::*;

#[derive(serde::Serialize, serde::Deserialize, ResourceEnum)]
#[serde(tag = "kind")]
pub enum Status {
    #[serde(alias = "waiting")]
    Pending,
    #[serde(skip)]
    Internal,
    #[crud(rename = "a")]
    #[serde(rename = "b")]
    Shipped,
}

fn main() {}
