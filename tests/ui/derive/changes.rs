//! Changes of records: `soft_delete`, `batch`, `audit` and `idempotency`, their options and the fields that they need.

mod audit_options {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(audit(track_change = true, track_user = 1))]
    pub struct Product {
        pub id: i64,
    }
}

mod audited_restore {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Team {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(audit, soft_delete(auto_restore_on_update))]
    pub struct Badge {
        pub id: i64,
        #[crud(references(Team, on_delete(cascade)))]
        pub team_id: i64,
        #[crud(references(Team, on_delete(set_null)))]
        pub guest_of: Option<i64>,
        pub name: String,
        pub deleted_at: Option<DateTime<Utc>>,
    }
}

mod batch_of_nothing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(batch(max_size = 0))]
    pub struct Product {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(batch(max_size = 5000000000))]
    pub struct Order {
        pub id: i64,
    }
}

mod batch_options {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(batch(max_size = "many", mode(some), size = 5))]
    pub struct Product {
        pub id: i64,
    }
}

mod everything_wrong {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(
        soft_delete,
        batch(max_size = 0, mode(both)),
        audit(without(users)),
        operations(list, purge, histroy),
    )]
    pub struct Product {
        pub id: i64,
        #[crud(unique(active))]
        pub name: String,
        pub is_deleted: i32,
        #[crud(deleted_at)]
        pub removed_at: Option<String>,
    }

    fn uses() {
        let _ = ProductPatch::default().name("x");
    }
}

mod idempotency_options {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(idempotency(ttl = "0h"))]
    pub struct Product {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(idempotency(required = true, ttl_hours = 24, ttl = "9000h"))]
    pub struct Order {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(idempotency(ttl = "a day"), idempotency)]
    pub struct Payment {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(view("SELECT 1 AS id", reads()), idempotency)]
    pub struct Total {
        pub id: i64,
    }

    #[derive(Schema)]
    #[crud(idempotency)]
    pub struct Body {
        pub text: String,
    }
}

mod operations_of_what_is_off {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(operations(list, restore, purge, batch, history))]
    pub struct Product {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(operations(except(restore)), batch, audit)]
    pub struct Order {
        pub id: i64,
    }
}

mod options_twice {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete(auto_restore_on_update, auto_restore_on_update = false), soft_delete)]
    #[crud(batch, batch(max_size = 5, max_size = 6), audit, audit(without(user)))]
    pub struct Product {
        pub id: i64,
        pub deleted_at: Option<DateTime<Utc>>,
    }
}

mod soft_delete_options {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete(deleted_at(removed_at), include_deleted, auto_restore_on_update = 1))]
    pub struct Product {
        pub id: i64,
        #[crud(deleted_at = true)]
        pub removed_at: Option<DateTime<Utc>>,
    }

    #[derive(Resource)]
    #[crud(soft_delete = true)]
    pub struct Order {
        pub id: i64,
        pub deleted_at: Option<DateTime<Utc>>,
    }

    #[derive(Resource)]
    #[crud(soft_delete(deleted_at_field = "removed_at"), batch(mode(5)), audit(without("user")))]
    #[crud(operations(restore, batch, history))]
    pub struct Basket {
        pub id: i64,
        #[crud(unique(active))]
        pub name: String,
        pub removed_at: Option<DateTime<Utc>>,
    }
}

mod state_called_as_a_field {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Product {
        pub id: i64,
        #[crud(rename = "is_deleted")]
        pub gone: bool,
        pub deleted_at: Option<DateTime<Utc>>,
    }

    #[derive(Resource)]
    #[crud(soft_delete, rename_all = "camelCase")]
    pub struct Order {
        pub id: i64,
        #[crud(rename = "isDeleted")]
        pub gone: bool,
        pub deleted_at: Option<DateTime<Utc>>,
    }
}

mod state_in_storage {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete, index(is_deleted, name), unique(name, is_deleted))]
    pub struct Product {
        pub id: i64,
        pub name: String,
        #[crud(index, column = "gone")]
        pub is_deleted: bool,
        pub deleted_at: Option<DateTime<Utc>>,
    }

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Order {
        pub id: i64,
        #[crud(unique)]
        pub is_deleted: bool,
        pub deleted_at: Option<DateTime<Utc>>,
    }
}

mod state_of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Product {
        pub id: i64,
        pub is_deleted: i32,
        pub deleted_at: Option<DateTime<Utc>>,
    }

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Order {
        pub id: i64,
        pub is_deleted: Option<bool>,
        pub deleted_at: Option<DateTime<Utc>>,
    }
}

mod timestamp_missing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Product {
        pub id: i64,
        pub is_deleted: bool,
    }

    #[derive(Resource)]
    #[crud(soft_delete(include_deleted_by_default))]
    pub struct Order {
        pub id: i64,
        pub removed_at: Option<DateTime<Utc>>,
    }
}

mod timestamp_of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Product {
        pub id: i64,
        pub deleted_at: Option<String>,
    }

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Order {
        pub id: i64,
        #[crud(deleted_at)]
        pub removed: Option<NaiveDate>,
    }
}

mod timestamp_required {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Product {
        pub id: i64,
        pub deleted_at: DateTime<Utc>,
    }
}

mod timestamp_with_another_role {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Product {
        pub id: i64,
        #[crud(deleted_at, updated_at)]
        pub changed_at: DateTime<Utc>,
    }

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Order {
        #[crud(deleted_at)]
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Basket {
        pub id: i64,
        #[crud(created_at)]
        pub deleted_at: DateTime<Utc>,
    }
}

mod timestamp_with_needless_attributes {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Product {
        pub id: i64,
        #[crud(write_only, default(None), validate(custom(check)))]
        pub deleted_at: Option<DateTime<Utc>>,
        #[crud(immutable, default = false)]
        pub is_deleted: bool,
    }

    fn check(_: &DateTime<Utc>) -> Result<(), String> {
        Ok(())
    }
}

mod unique_active_misspelt {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Product {
        pub id: i64,
        #[crud(unique(activ))]
        pub code: String,
        #[crud(unique = active)]
        pub name: String,
        #[crud(unique())]
        pub sku: String,
        pub deleted_at: Option<DateTime<Utc>>,
    }
}

mod word_among_the_fields_of_a_group {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(soft_delete, unique(name, email, active), unique(name, r#global), unique(active))]
    pub struct Customer {
        pub id: i64,
        #[crud(tenant)]
        pub shop_id: i64,
        pub name: String,
        pub email: String,
        pub deleted_at: Option<DateTime<Utc>>,
    }

    #[derive(Resource)]
    #[crud(soft_delete, unique(name, among(activ)), unique(name, among(active)), unique(name, amng = active))]
    pub struct Order {
        pub id: i64,
        pub name: String,
        pub deleted_at: Option<DateTime<Utc>>,
    }
}

mod unique_active_without_soft_delete {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(unique(active))]
        pub name: String,
    }
}
