use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(updated_at, custom = check)]
    pub at: DateTime<Utc>,
}

fn check(_: &DateTime<Utc>) -> Result<(), String> {
    Ok(())
}

fn main() {}
