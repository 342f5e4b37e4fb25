//! Lints: alone, because the compiler runs none in a file with errors.

mod setter_forgotten {
    #![deny(unused_must_use)]

    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        pub name: String,
    }

    fn uses() {
        ProductPatch::default().name("Chair");
    }
}
