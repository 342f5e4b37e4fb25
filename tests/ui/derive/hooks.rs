//! `hooks` that names no function.

mod malformed {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(hooks)]
    pub struct Flags {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(hooks(validate("check")))]
    pub struct Quoted {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(hooks(before, after("bill"), commited(notify)))]
    pub struct Misspelt {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(hooks(before(check), before(check)), hooks())]
    pub struct Twice {
        pub id: i64,
    }

    #[derive(Resource)]
    pub struct OnField {
        pub id: i64,
        #[crud(hooks(validate(check)))]
        pub name: String,
    }
}
