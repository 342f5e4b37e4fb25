//! [`publish`]: events of the program's own.

use crud_runtime::column::IntoColumn;
use crud_runtime::prelude::*;
use crud_runtime::{Error, Result};
use serde::Serialize;

use crate::entry::EntryKind;

/// The longest type of an event, in bytes.
const LONGEST: usize = 100;

/// Publishes an event of the program about a record, in a transaction. The event is sent when the transaction commits,
/// and never if it does not. Subscribers that see the record get the event, in order with the record's changes. The
/// record's history has it too, with the author and the tenant of the transaction.
///
/// The type is `resource.what_happened`. Types that end with `.created`, `.updated` and `.removed` are reserved for
/// changes.
///
/// ```
/// use crud_runtime::prelude::*;
/// use serde_json::json;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(audit)]
/// struct Order { id: i64, is_shipped: bool }
///
/// /// Ships an order.
/// async fn ship(app: &App, order: i64) -> crud_runtime::Result<()> {
///     app.transaction(async |tx| {
///         tx.store::<Order>().update(order, OrderPatch::default().is_shipped(true)).await?;
///         crud_events::publish::<Order>(tx, "order.shipped", order, json!({ "carrier": "post" })).await
///     })
///     .await
/// }
/// ```
///
/// # Errors
/// [`Error::Setup`] for a type of another form, and for a resource without an audit log; errors of the database.
pub async fn publish<R: Resource>(
    tx: &Tx<'_>,
    kind: &str,
    id: impl IntoColumn<R::Id>,
    data: impl Serialize,
) -> Result<()> {
    check(kind)?;
    let data = serde_json::to_value(data).map_err(Problem::internal)?;
    tx.log::<R>(id, format!("{}{kind}", EntryKind::OWN), data).await.map(drop)
}

/// Checks the type of an event.
fn check(kind: &str) -> Result<()> {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let of_changes = [".created", ".updated", ".removed"];
    let fits = kind.len() <= LONGEST && kind.contains('.') && kind.split('.').all(is_word);
    if fits && !of_changes.iter().any(|ending| kind.ends_with(ending)) {
        return Ok(());
    }
    Err(Error::Setup(format!("expected the type of an event, such as `order.shipped`, found `{kind}`")))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn types_of_changes_and_other_texts_are_refused() {
        assert!(check("order.shipped").is_ok() && check("order_item.sent_2").is_ok());
        for kind in ["", "shipped", "order.", "Order.shipped", "order.updated", "order shipped.x", "a.\n"] {
            assert!(check(kind).is_err(), "{kind}");
        }
    }
}
