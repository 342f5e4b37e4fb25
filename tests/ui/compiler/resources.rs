//! A struct that does not derive `Resource`: alone, because the compiler lists the structs that do.

mod reference_to_no_resource {
    use crud_runtime::prelude::*;

    pub struct Category;

    #[derive(Resource)]
    pub struct Part {
        pub id: i64,
        #[crud(references(Category))]
        pub category_id: i64,
    }
}
