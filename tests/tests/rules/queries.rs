use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::{Error, Result};
use crud_tests::on_each_backend;

use crate::resources::{Booking, NewBooking, NewPart, Part, PartPatch, part, resources};

async fn parts_and_bookings(database: &crud_tests::Database) -> App {
    let app = resources(database).await.migrate().await.unwrap().app();
    for (name, stock, quantities) in [("a", 5, &[1, 2][..]), ("b", 6, &[3]), ("c", 7, &[])] {
        let part = app.store::<Part>().create(part(name, stock)).await.unwrap();
        for quantity in quantities {
            let booking = NewBooking { part_id: part.id, quantity: *quantity };
            app.store::<Booking>().create(booking).await.unwrap();
        }
    }
    app
}

async fn names(app: &App, condition: crud_runtime::query::Condition<Part>) -> Vec<String> {
    let parts = app.store::<Part>().list(condition.order_by(Part::FIELDS.name.asc())).await.unwrap();
    parts.into_iter().map(|part| part.name).collect()
}

#[test]
fn records_are_selected_by_the_records_of_another_resource() {
    on_each_backend(async |database| {
        let app = parts_and_bookings(database).await;
        let booked = |quantity: i32| {
            Part::FIELDS.id.in_subquery(Booking::FIELDS.part_id, Booking::FIELDS.quantity.gte(quantity))
        };
        assert_eq!(names(&app, booked(1)).await, ["a", "b"]);
        assert_eq!(names(&app, booked(2).and(Part::FIELDS.stock.lt(6))).await, ["a"]);
        assert_eq!(names(&app, !booked(1)).await, ["c"]);
        assert_eq!(names(&app, booked(3).or(Part::FIELDS.name.eq("c"))).await, ["b", "c"]);
        assert_eq!(names(&app, booked(9)).await, [""; 0]);
        assert_eq!(app.store::<Part>().count(booked(1)).await.unwrap(), 2);
        // A booking that is soft-deleted does not count; a condition may select within a select.
        let of_b = Part::FIELDS.name.eq("b");
        let bookings = app.store::<Booking>();
        let of_b = bookings.first(Booking::FIELDS.part_id.in_subquery(Part::FIELDS.id, of_b)).await.unwrap().unwrap();
        bookings.soft_delete(of_b.id).await.unwrap();
        assert_eq!(names(&app, booked(1)).await, ["a"]);
    });
}

#[test]
fn changes_of_many_records_take_conditions_on_another_resource() {
    crate::resources::on_each(async |database, _| {
        let app = parts_and_bookings(database).await;
        let booked = Part::FIELDS.id.in_subquery(Booking::FIELDS.part_id, Booking::FIELDS.quantity.gte(3));
        let changed = app.store::<Part>().update_where(booked, PartPatch::default().stock(0)).await.unwrap();
        assert_eq!((changed, names(&app, Part::FIELDS.stock.eq(0)).await), (1, vec!["b".to_owned()]));
        let deleted = Booking::FIELDS.part_id.in_subquery(Part::FIELDS.id, Part::FIELDS.stock.eq(0));
        assert_eq!(app.store::<Booking>().delete_where(deleted).await.unwrap(), 1);
    });
}

#[test]
fn the_first_record_of_a_query_is_there_or_not_found() {
    on_each_backend(async |database| {
        let app = parts_and_bookings(database).await;
        let parts = app.store::<Part>();
        let newest = parts.first(Part::FIELDS.stock.desc()).await.unwrap().unwrap();
        assert_eq!(newest.name, "c");
        assert_eq!(parts.get_where(Part::FIELDS.name.eq("b")).await.unwrap().stock, 6);
        assert!(parts.first(Part::FIELDS.name.eq("z")).await.unwrap().is_none());
        let missing = parts.get_where(Part::FIELDS.name.eq("z")).await;
        assert!(matches!(missing, Err(Error::Problem(problem)) if problem.detail() == "Part not found"));
    });
}

#[test]
fn patch_sets_the_fields_that_have_a_value() {
    on_each_backend(async |database| {
        let app = resources(database).await.migrate().await.unwrap().app();
        let parts = app.store::<Part>();
        let price = Some(Decimal::from(3));
        let lamp = parts.create(NewPart { price, ..part("lamp", 5) }).await.unwrap();
        let fields = Part::FIELDS;
        let patch = PartPatch::default().set_some(fields.name, Some("torch")).set_some(fields.stock, None::<i32>);
        let torch = parts.update(lamp.id, patch.set_some(fields.price, None::<Decimal>)).await.unwrap();
        assert_eq!((torch.name.as_str(), torch.stock, torch.price), ("torch", 5, price));
        let refused: Result<Part> = parts.update(lamp.id, PartPatch::default().set_some(fields.id, Some(9))).await;
        let Err(Error::Problem(problem)) = refused else { panic!("{refused:?}") };
        assert_eq!((problem.code(), problem.errors()[0].code()), (Code::ValidationFailed, "immutable"));
    });
}

#[test]
fn delete_of_a_store_is_that_of_http() {
    on_each_backend(async |database| {
        let app = parts_and_bookings(database).await;
        let (parts, bookings) = (app.store::<Part>(), app.store::<Booking>());
        let booking = bookings.first(Booking::FIELDS.id.asc()).await.unwrap().unwrap();
        assert!(bookings.delete(booking.id).await.unwrap().deleted_at.is_some());
        assert!(bookings.delete(booking.id).await.is_err() && bookings.restore(booking.id).await.is_ok());
        let unbooked = parts.get_where(Part::FIELDS.name.eq("c")).await.unwrap();
        parts.delete(unbooked.id).await.unwrap();
        assert!(parts.find(unbooked.id).await.unwrap().is_none());
    });
}

#[test]
fn table_that_is_missing_has_its_reason_in_the_log() {
    crud_tests::on_each_sql_backend(async |database| {
        let parts = resources(database).await.store::<Part>();
        let Err(Error::Problem(problem)) = parts.list(Select::all()).await else { panic!("there is no table") };
        let detail = "the database does not fit this version of the service";
        assert_eq!((problem.code(), problem.detail()), (Code::Unavailable, detail));
        let reason = std::error::Error::source(&problem).map(ToString::to_string).unwrap_or_default();
        assert!(reason.contains("call `Service::migrate`"), "{reason}");
    });
}

#[test]
fn condition_that_is_absent_restricts_nothing() {
    on_each_backend(async |database| {
        let parts = parts_and_bookings(database).await.store::<Part>();
        let names = async |stock: Option<i32>| {
            let query = Select::all().filter(stock.map(|least| Part::FIELDS.stock.gte(least)));
            parts.pluck(Part::FIELDS.name, query.order_by(Part::FIELDS.name.desc())).await.unwrap()
        };
        assert_eq!(names(None).await, ["c", "b", "a"]);
        assert_eq!(names(Some(6)).await, ["c", "b"]);
    });
}

#[test]
fn values_of_one_field_are_those_of_the_records_that_the_store_reads() {
    on_each_backend(async |database| {
        let app = parts_and_bookings(database).await;
        let bookings = app.store::<Booking>();
        let quantities = async |query: Select<Booking>| {
            bookings.pluck(Booking::FIELDS.quantity, query.order_by(Booking::FIELDS.quantity.asc())).await.unwrap()
        };
        assert_eq!(quantities(Select::all()).await, [1, 2, 3]);
        let last = bookings.list(Booking::FIELDS.quantity.eq(3)).await.unwrap()[0].id;
        bookings.soft_delete(last).await.unwrap();
        assert_eq!(quantities(Select::all()).await, [1, 2]);
        let prices = app.store::<Part>().pluck(Part::FIELDS.price, Part::FIELDS.name.eq("a")).await.unwrap();
        assert_eq!(prices, [None], "a null of an `Option`");
    });
}
