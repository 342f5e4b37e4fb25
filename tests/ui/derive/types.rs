//! Types that are no field type by their form alone.

mod option_of_option {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        pub name: Option<Option<String>>,
    }
}
