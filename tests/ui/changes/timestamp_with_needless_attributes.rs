use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(soft_delete)]
pub struct Product {
    pub id: i64,
    #[crud(write_only, default = None, custom = check)]
    pub deleted_at: Option<DateTime<Utc>>,
    #[crud(immutable, default = false)]
    pub is_deleted: bool,
}

fn check(_: &DateTime<Utc>) -> Result<(), String> {
    Ok(())
}

fn main() {}
