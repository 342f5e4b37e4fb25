//! `pattern`: regular expressions that the service or browsers read in another way.

mod flags {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(validate(pattern = "(?i)abc"))]
        pub a: String,
        #[crud(validate(pattern = "(?x: a b )"))]
        pub b: String,
    }
}

mod lookaround {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(validate(pattern = "(?=a)b"))]
        pub a: String,
        #[crud(validate(pattern = r"(a)\1"))]
        pub b: String,
        #[crud(validate(pattern = "a++"))]
        pub c: String,
    }
}

mod not_a_regex {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(validate(pattern = "("))]
        pub a: String,
        #[crud(validate(pattern = "a{2,1}"))]
        pub b: String,
        #[crud(validate(pattern = "[z-a]"))]
        pub c: String,
    }
}

mod not_text {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(validate(pattern = 5))]
        pub a: String,
        #[crud(validate(pattern))]
        pub b: String,
        #[crud(validate(pattern("a")))]
        pub c: String,
    }
}

mod perl_classes {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(validate(pattern = r"^\d+$"))]
        pub a: String,
        #[crud(validate(pattern = r"^\w+$"))]
        pub b: String,
        #[crud(validate(pattern = r"^[\s]$"))]
        pub c: String,
        #[crud(validate(pattern = r"\bword\b"))]
        pub d: String,
        #[crud(validate(pattern = "a.c"))]
        pub e: String,
    }
}

mod rust_alone {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(validate(pattern = r"\Aa\z"))]
        pub a: String,
        #[crud(validate(pattern = "(?P<year>[0-9]+)"))]
        pub b: String,
        #[crud(validate(pattern = "[[:alpha:]]"))]
        pub c: String,
        #[crud(validate(pattern = "[a-z&&[^b]]"))]
        pub d: String,
        #[crud(validate(pattern = r"\pL"))]
        pub e: String,
        #[crud(validate(pattern = r"\p{Greek}"))]
        pub f: String,
        #[crud(validate(pattern = r"\x{41}"))]
        pub g: String,
        #[crud(validate(pattern = "a}"))]
        pub h: String,
        #[crud(validate(pattern = "a{,3}"))]
        pub i: String,
    }
}

mod too_large {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(validate(pattern = "((a{1000}){1000}){10}"))]
        pub a: String,
    }
}
