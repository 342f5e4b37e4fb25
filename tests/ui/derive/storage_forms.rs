//! `sql_type` and `format`: what columns of other programs are, and the fields that they need.

mod format_of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Invoice {
        pub id: i64,
        #[crud(format = "uppercase")]
        pub name: String,
        #[crud(format = "unix")]
        pub day: NaiveDate,
        #[crud(format = "number")]
        pub price: f64,
        #[crud(format = "%Y-%m-%d")]
        pub count: i32,
    }
}

mod format_that_is_none {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Invoice {
        pub id: i64,
        #[crud(format = "rfc3339")]
        pub at: DateTime<Utc>,
        #[crud(format = uppercase)]
        pub token: Uuid,
    }
}

mod pattern_out_of_order {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Invoice {
        pub id: i64,
        #[crud(format = "%d.%m.%Y %H:%M:%S")]
        pub at: NaiveDateTime,
        #[crud(format = "%Y-%m")]
        pub month: NaiveDate,
        #[crud(format = "%Y-%m-%dT%H:%M:%S%.fZ")]
        pub with_zone: DateTime<Utc>,
        #[crud(format = "%F %T")]
        pub short: DateTime<Utc>,
        #[crud(format = "%M:%S")]
        pub minute: NaiveTime,
    }
}

mod reserved_name {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Invoice {
        pub id: i64,
        pub unreadable: bool,
    }
}

mod sql_type_that_is_none {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Host {
        pub id: i64,
        #[crud(sql_type = "inet; DROP TABLE hosts")]
        pub address: String,
        #[crud(sql_type = "")]
        pub network: String,
        #[crud(column(sql_type))]
        pub name: String,
    }
}

mod sql_type_without_a_column {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Host {
        pub id: i64,
        pub deleted_at: Option<DateTime<Utc>>,
        #[crud(sql_type = "boolean")]
        pub is_deleted: bool,
    }
}

mod soft_delete_by_two_columns {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete(deleted_at_field = removed_at, is_deleted_field = removed))]
    pub struct Account {
        pub id: i64,
        pub removed: bool,
        pub removed_at: Option<DateTime<Utc>>,
    }
}

mod soft_delete_by_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete(is_deleted_field = removed))]
    pub struct Account {
        pub id: i64,
        pub removed: Option<bool>,
    }

    #[derive(Resource)]
    #[crud(soft_delete(is_deleted_field = removed_at))]
    pub struct Payment {
        pub id: i64,
        pub removed_at: Option<DateTime<Utc>>,
    }
}
