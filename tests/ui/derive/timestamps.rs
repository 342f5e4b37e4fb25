//! `created_at` and `updated_at`: types, and attributes that contradict them.

mod created_at_of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(created_at)]
        pub created_at: String,
        #[crud(updated_at)]
        pub updated_at: NaiveDate,
    }
}

mod created_at_optional {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(created_at)]
        pub created_at: Option<DateTime<Utc>>,
    }
}

mod immutable {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(updated_at, immutable)]
        pub at: DateTime<Utc>,
    }
}

mod named_without_their_attributes {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        pub created_at: DateTime<Utc>,
        #[crud(immutable)]
        pub updated_at: Option<NaiveDate>,
    }
}

mod off_where_it_is_not_needed {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(created_at(off))]
        pub made_at: DateTime<Utc>,
        #[crud(updated_at(on))]
        pub updated_at: DateTime<Utc>,
    }
}

mod two_of_a_kind {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(created_at)]
        pub a: DateTime<Utc>,
        #[crud(created_at)]
        pub b: DateTime<Utc>,
        #[crud(updated_at)]
        pub c: DateTime<Utc>,
        #[crud(updated_at)]
        pub d: DateTime<Utc>,
    }
}

mod two_roles {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(created_at, updated_at)]
        pub at: DateTime<Utc>,
    }
}

mod validated {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(updated_at, validate(custom(check)))]
        pub at: DateTime<Utc>,
    }

    fn check(_: &DateTime<Utc>) -> Result<(), String> {
        Ok(())
    }
}

mod with_default {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(created_at, default(Utc::now()))]
        pub at: DateTime<Utc>,
    }
}

mod write_only {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(created_at, write_only)]
        pub at: DateTime<Utc>,
    }
}
