use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(pattern = r"\Aa\z")]
    pub a: String,
    #[crud(pattern = "(?P<year>[0-9]+)")]
    pub b: String,
    #[crud(pattern = "[[:alpha:]]")]
    pub c: String,
    #[crud(pattern = "[a-z&&[^b]]")]
    pub d: String,
    #[crud(pattern = r"\pL")]
    pub e: String,
    #[crud(pattern = r"\p{Greek}")]
    pub f: String,
    #[crud(pattern = r"\x{41}")]
    pub g: String,
    #[crud(pattern = "a}")]
    pub h: String,
    #[crud(pattern = "a{,3}")]
    pub i: String,
}

fn main() {}
