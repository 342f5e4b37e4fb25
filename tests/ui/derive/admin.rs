//! `admin`: its fields, and words that contradict each other.

mod fields {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(admin)]
    pub struct Product1 {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(admin())]
    pub struct Product2 {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(admin(title(nmae), list(name, prise, name, secret, password)))]
    pub struct Product3 {
        pub id: i64,
        pub name: String,
        pub price: i64,
        #[crud(hidden, default = "")]
        pub secret: String,
        #[crud(write_only)]
        pub password: String,
    }

    #[derive(Resource)]
    #[crud(admin(title(name, price), columns(name)))]
    pub struct Product4 {
        pub id: i64,
        pub name: String,
        pub price: i64,
    }
}

mod words {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(admin(hide, group = "Catalogue"))]
    pub struct Product1 {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(admin(group = " "))]
    pub struct Product2 {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(admin(list()))]
    pub struct Product3 {
        pub id: i64,
    }
}
