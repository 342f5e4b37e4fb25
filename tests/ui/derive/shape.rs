//! Items that are no struct of named fields without generics.

mod const_parameter {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product<const N: usize> {
        pub id: i64,
        pub name: [u8; N],
    }
}

mod enumeration {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub enum Product {
        Chair,
        Table,
    }

    fn uses() {
        let _ = Product::DESCRIPTOR;
    }
}

mod lifetime_parameter {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product<'a> {
        pub id: i64,
        pub name: &'a str,
    }
}

mod no_fields {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {}
}

mod tuple_struct {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product(i64, String);

    fn uses() {
        let _ = Product::DESCRIPTOR;
        let _ = ProductPatch::default();
    }
}

mod type_parameter {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product<T> {
        pub id: i64,
        pub name: String,
        pub extra: T,
    }

    fn uses() {
        let _ = <Product<i64> as Resource>::DESCRIPTOR;
        let _ = ProductPatch::default().name("Chair");
    }
}

mod union {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub union Product {
        pub id: i64,
        pub bits: u64,
    }
}

mod unit_struct {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product;
}

mod where_clause {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product
    where
        String: Clone,
    {
        pub id: i64,
    }
}
