use crud_runtime::prelude::*;

pub enum Status {
    Pending,
}

#[derive(Resource)]
#[crud(filter(status), sort)]
pub struct Order {
    pub id: i64,
    #[crud(default = Status::Pending)]
    pub status: Status,
}

fn main() {
    let _ = OrderPatch::default().status(Status::Pending);
    let _ = NewOrder::new().status(Status::Pending);
}
