//! Every mistake of a struct at once: alone, because the compiler lists the structs that derive `Resource`.

mod twelve_mistakes {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(
        fliter(name),
        sort(naem),
        default_sort(price),
        pagination(default_limit = 50, max_limit = 10),
        prefix = "products",
    )]
    pub struct Product {
        pub id: i64,
        #[crud(length(min = 10, max = 5))]
        pub name: String,
        #[crud(range(min = "cheap"))]
        pub price: f64,
        #[crud(write_only, filter)]
        pub secret: String,
        #[crud(validate(pattern = "^\\d+$"))]
        pub code: String,
        #[crud(default = "many")]
        pub stock: i32,
        #[crud(references(Shelf))]
        pub shelf_id: i64,
        #[crud(rename = "name")]
        pub title: String,
    }

    pub struct Shelf;

    fn uses() {
        let _ = Product::FIELDS.name.like("a%");
        let _ = ProductPatch::default().price(1.0);
        let _ = NewProduct::new("name", 1.0, "secret", "code", 3, "title").stock(5);
        let _ = Product::DESCRIPTOR;
    }
}
