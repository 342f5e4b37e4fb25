use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(
    soft_delete(deleted_at_field = removd_at),
    batch(max_size = 0, mode = both),
    audit(track_users = false),
    only(list, purge, histroy),
)]
pub struct Product {
    pub id: i64,
    #[crud(unique(active))]
    pub name: String,
    pub is_deleted: i32,
    pub removed_at: Option<String>,
}

fn main() {
    let _ = ProductPatch::default().name("x");
}
