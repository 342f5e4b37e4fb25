use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(validate = of_the_record)]
pub struct Ticket {
    pub id: i64,
}

fn of_the_record(_: &Ticket, _: &mut Errors<'_, Ticket>) {}

#[derive(Resource)]
#[crud(validate = of_another)]
pub struct Part {
    pub id: i64,
}

fn of_another(_: &Candidate<'_, Ticket>, _: &mut Errors<'_, Ticket>) {}

#[derive(Resource)]
#[crud(validate = with_result)]
pub struct Bill {
    pub id: i64,
}

fn with_result(_: &Candidate<'_, Bill>) -> Result<(), Problem> {
    Ok(())
}

fn main() {}
