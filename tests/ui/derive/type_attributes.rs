//! Attributes that a field's type brings, on types that the derive knows, and beside others.

mod fields {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(file(max = "10MB"))]
        pub name: String,
        #[crud(lenght(max = 5))]
        pub state: State,
        #[crud(shape(round), colour(red))]
        pub form: State,
        #[crud(prefix("/a"))]
        pub place: State,
        #[crud(shape)]
        pub word: State,
        #[crud(shape = "round")]
        pub text: State,
    }

    #[derive(Clone, ResourceEnum)]
    pub enum State {
        New,
    }
}
