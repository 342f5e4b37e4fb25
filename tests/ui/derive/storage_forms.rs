//! `sql_type` and `format`: what columns of other programs are, and the fields that they need.

mod format_of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Invoice {
        pub id: i64,
        #[crud(column(format = "uppercase"))]
        pub name: String,
        #[crud(column(format = "unix"))]
        pub day: NaiveDate,
        #[crud(column(format = "number"))]
        pub price: f64,
        #[crud(column(format = "%Y-%m-%d"))]
        pub count: i32,
    }
}

mod format_that_is_none {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Invoice {
        pub id: i64,
        #[crud(column(format = "rfc3339"))]
        pub at: DateTime<Utc>,
        #[crud(column(format = uppercase))]
        pub token: Uuid,
    }
}

mod pattern_out_of_order {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Invoice {
        pub id: i64,
        #[crud(column(format = "%d.%m.%Y %H:%M:%S"))]
        pub at: NaiveDateTime,
        #[crud(column(format = "%Y-%m"))]
        pub month: NaiveDate,
        #[crud(column(format = "%Y-%m-%dT%H:%M:%S%.fZ"))]
        pub with_zone: DateTime<Utc>,
        #[crud(column(format = "%F %T"))]
        pub short: DateTime<Utc>,
        #[crud(column(format = "%M:%S"))]
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
        #[crud(column(sql_type = "inet; DROP TABLE hosts"))]
        pub address: String,
        #[crud(column(sql_type = ""))]
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
        #[crud(column(sql_type = "boolean"))]
        pub is_deleted: bool,
    }
}

mod soft_delete_by_two_columns {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Account {
        pub id: i64,
        #[crud(deleted_at)]
        pub removed: bool,
        #[crud(deleted_at)]
        pub removed_at: Option<DateTime<Utc>>,
    }
}

mod soft_delete_by_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Account {
        pub id: i64,
        #[crud(deleted_at)]
        pub removed: Option<bool>,
    }

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Payment {
        pub id: i64,
        #[crud(deleted_at)]
        pub removed_at: Option<DateTime<Utc>>,
    }
}
