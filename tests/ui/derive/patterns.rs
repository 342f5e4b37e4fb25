//! `pattern`: regular expressions that the service or browsers read in another way.

mod flags {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(pattern = "(?i)abc")]
        pub a: String,
        #[crud(pattern = "(?x: a b )")]
        pub b: String,
    }
}

mod lookaround {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(pattern = "(?=a)b")]
        pub a: String,
        #[crud(pattern = r"(a)\1")]
        pub b: String,
        #[crud(pattern = "a++")]
        pub c: String,
    }
}

mod not_a_regex {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(pattern = "(")]
        pub a: String,
        #[crud(pattern = "a{2,1}")]
        pub b: String,
        #[crud(pattern = "[z-a]")]
        pub c: String,
    }
}

mod not_text {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(pattern = 5)]
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
        #[crud(pattern = r"^\d+$")]
        pub a: String,
        #[crud(pattern = r"^\w+$")]
        pub b: String,
        #[crud(pattern = r"^[\s]$")]
        pub c: String,
        #[crud(pattern = r"\bword\b")]
        pub d: String,
        #[crud(pattern = "a.c")]
        pub e: String,
    }
}

mod rust_alone {
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
}

mod too_large {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(pattern = "((a{1000}){1000}){10}")]
        pub a: String,
    }
}
