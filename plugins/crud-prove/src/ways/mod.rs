//! The ways to a record. To add one, write a function with an [`Ask`], and call it in one of the two functions here.

pub(crate) mod ask;
mod read;
mod routes;
mod tool;
mod write;

use ask::Ask;
use crud_runtime::descriptor::Operation;
use read::{aggregate, condition, list, log, record, related};
use write::{batch, create, delete, events, link, nested, transition, update};

pub(crate) use routes::routes;

/// Tests each way that reads.
pub(crate) async fn read(ask: &Ask<'_>) {
    let descriptor = ask.descriptor();
    if descriptor.offers(Operation::List) {
        list::list(ask).await;
        list::total(ask).await;
        list::deleted(ask).await;
        list::cursor(ask).await;
        list::by_body(ask).await;
        list::export(ask).await;
        condition::filter(ask).await;
        condition::sort(ask).await;
        condition::search(ask).await;
        condition::path(ask).await;
        condition::children(ask).await;
        related::expand(ask).await;
    }
    if descriptor.offers(Operation::Get) && !descriptor.keyless {
        record::get(ask).await;
        record::get_deleted(ask).await;
        record::as_of(ask).await;
        record::file(ask).await;
        related::links(ask).await;
    }
    if descriptor.offers(Operation::History) {
        record::history(ask).await;
    }
    if descriptor.offers(Operation::Aggregate) {
        aggregate::aggregate(ask).await;
    }
    log::log(ask).await;
    read::agent::agent(ask).await;
}

/// Tests each way that changes records.
pub(crate) async fn write(ask: &Ask<'_>) {
    create::create(ask).await;
    create::import(ask).await;
    create::upsert(ask).await;
    update::update(ask).await;
    update::deleted(ask).await;
    transition::transition(ask).await;
    batch::batch(ask).await;
    link::link(ask).await;
    nested::nested(ask).await;
    delete::delete(ask).await;
    delete::restore(ask).await;
    delete::purge(ask).await;
    delete::many(ask).await;
    write::agent::agent(ask).await;
    events::events(ask).await;
}
