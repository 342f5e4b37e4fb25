//! `#[derive(ResourceEnum)]`: items that are no enum of unit variants, and its attributes.

mod duplicate_attribute {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    pub enum Status {
        #[crud(rename = "a", rename = "b")]
        Pending,
    }
}

mod empty {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    pub enum Status {}
}

mod empty_text {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    pub enum Status {
        #[crud(rename = "")]
        Pending,
    }
}

mod generic {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    pub enum Status<const N: usize> {
        Pending,
    }
}

mod on_a_struct {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    pub struct Status {
        pub name: String,
    }
}

mod on_a_union {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    pub union Status {
        pub a: i64,
    }
}

mod one_text_for_two {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    #[crud(rename_all = "lowercase")]
    pub enum Status {
        Pending,
        #[crud(rename = "pending")]
        Waiting,
    }
}

mod rename_on_the_enum {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    #[crud(rename = "a")]
    pub enum Status {
        Pending,
    }
}

mod unknown_attribute {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    #[crud(renam_all = "snake_case", prefix = "/a")]
    pub enum Status {
        #[crud(rename_al = "a")]
        Pending,
        #[crud(rename_all = "snake_case")]
        Shipped,
    }
}

mod unknown_case {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    #[crud(rename_all = "Snake_Case")]
    pub enum Status {
        Pending,
    }
}

mod with_fields {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    pub enum Status {
        Pending,
        Shipped(i64),
        Returned { reason: String },
    }

    #[derive(Resource)]
    pub struct Order {
        pub id: i64,
        pub status: Status,
    }
}

mod other_of_no_text {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    pub enum Status {
        Pending,
        #[crud(other)]
        Unknown,
    }

    #[derive(ResourceEnum)]
    pub enum Size {
        Small,
        #[crud(other)]
        Number(i64),
    }
}

mod other_twice_and_renamed {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    pub enum Status {
        Pending,
        #[crud(other)]
        Other(String),
        #[crud(other, rename = "further")]
        Further(String),
    }
}

mod numbers {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    #[crud(stored(integer))]
    pub enum Size1 {
        Small = 1,
        Large,
    }

    #[derive(ResourceEnum)]
    #[crud(stored(integer), ordered)]
    pub enum Size2 {
        Small = 2,
        Large = 1,
    }

    #[derive(ResourceEnum)]
    #[crud(stored(text))]
    pub enum Size3 {
        Small,
    }
}

mod order {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    #[crud(ordered)]
    pub enum Status {
        Open,
        #[crud(label = "")]
        Done,
        #[crud(other, label = "Other")]
        Other(String),
    }
}
