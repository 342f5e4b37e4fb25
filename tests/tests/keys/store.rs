//! Composite keys in the typed store: tuples.

use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_backend, on_each_transactional_backend};

use crate::line::{HOSTILE, Line, LinePatch, NewLine, NewOrder, Order};

async fn stores(database: &Database) -> (Service, Store<Line>) {
    let service = database.service().await.resource::<Order>().resource::<Line>();
    let service = service.migrate().await.expect("the tables");
    for name in ["first", "second"] {
        service.store::<Order>().create(NewOrder::new(name)).await.expect("an order");
    }
    let lines = service.store::<Line>();
    (service, lines)
}

#[test]
fn a_key_is_a_tuple() {
    on_each_backend(async |database| {
        let (_service, lines) = stores(database).await;
        for code in HOSTILE {
            let created = lines.create(NewLine::new(1, code, 3)).await.expect("a line");
            assert_eq!(created.id(), (1, code.to_owned()));
            assert_eq!(lines.get((1, code.to_owned())).await.expect("the line"), created);
            assert_eq!(lines.find((2, code.to_owned())).await.expect("an answer"), None);
            let key = (1, code.to_owned());
            let changed = lines.update(key.clone(), LinePatch::default().amount(4)).await.expect("a change");
            assert_eq!((changed.amount, changed.code.as_str()), (4, code));
            assert_eq!(lines.delete(key.clone()).await.expect("a removal"), changed);
            assert!(lines.get(key).await.is_err());
        }
    });
}

#[test]
fn conditions_change_and_remove_many() {
    on_each_transactional_backend(async |database| {
        let (_service, lines) = stores(database).await;
        for order in [1, 2] {
            for code in HOSTILE {
                lines.create(NewLine::new(order, code, 1)).await.expect("a line");
            }
        }
        let of_first = Line::FIELDS.order_id.eq(1);
        let changed = lines.update_where(of_first.clone(), LinePatch::default().amount(2)).await.expect("changes");
        assert_eq!(changed, HOSTILE.len() as u64);
        assert_eq!(lines.count(Line::FIELDS.amount.eq(2)).await.expect("a count"), HOSTILE.len() as u64);
        let key = (2, HOSTILE[1].to_owned());
        let increased = LinePatch::default().add(Line::FIELDS.amount, 5);
        assert_eq!(lines.update(key.clone(), increased).await.expect("a change").amount, 6);
        let refused = lines.update_if(key, Line::FIELDS.amount.eq(1), LinePatch::default().amount(9)).await;
        assert_eq!(refused.expect("an answer"), None);
        assert_eq!(lines.delete_where(of_first).await.expect("removals"), HOSTILE.len() as u64);
        assert_eq!(lines.count(Line::FIELDS.order_id.eq(2)).await.expect("a count"), HOSTILE.len() as u64);
    });
}
