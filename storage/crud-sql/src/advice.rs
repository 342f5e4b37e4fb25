//! The index that would serve a list, and texts of the list's filter and order without values.

use std::fmt::Write as _;

use crate::distinct::distinct;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::query::{Comparison, Predicate};

/// Maximum number of columns of a recommended index: each of them makes every change slower.
const MAX_COLUMNS: usize = 4;

/// The attribute of an index by which a list finds its records in their order, such as `index(category_id, price)`.
/// `None` where such an index exists, or where no index can serve the list.
///
/// The columns that equal a value come first, then the order, or else the first column with a range.
pub(crate) fn index_for(resource: &Descriptor, filter: &Predicate, sort: &[SortKey]) -> Option<String> {
    let (mut equal, mut ranges) = (Vec::new(), Vec::new());
    terms(resource, filter, &mut equal, &mut ranges);
    let order = order(resource, sort)?;
    let rest: Vec<usize> =
        if order.is_empty() { ranges.into_iter().take(1).collect() } else { [order, ranges].concat() };
    let mut columns = distinct(equal.into_iter().chain(rest));
    columns.truncate(MAX_COLUMNS);
    let is_there = resource.indexes.iter().any(|index| index.starts_with(&columns));
    if columns.len() < 2 || is_there {
        return None;
    }
    let names: Vec<&str> = columns.iter().map(|column| resource.columns[*column].name).collect();
    Some(format!("index({})", names.join(", ")))
}

/// Collects the columns that a condition compares with `=`, and those of which it requires a range. The tenant and the
/// deletion timestamp are left out: every index of a resource covers them anyway.
fn terms(resource: &Descriptor, filter: &Predicate, equal: &mut Vec<usize>, ranges: &mut Vec<usize>) {
    let is_implied = |column: usize| {
        resource.soft_delete.is_some_and(|soft_delete| soft_delete.deleted_at == column)
            || resource.tenant.is_some_and(|tenant| tenant.column == column)
    };
    let (column, to) = match filter {
        Predicate::And(all) => return all.iter().for_each(|one| terms(resource, one, equal, ranges)),
        Predicate::Compare { column, operator: Comparison::Eq, .. } | Predicate::IsNull { column, null: true } => {
            (*column, equal)
        }
        Predicate::Compare { column, operator, .. } if *operator != Comparison::Ne => (*column, ranges),
        Predicate::In { column, negated: false, .. } => (*column, ranges),
        _ => return,
    };
    if !is_implied(column) && resource.key().first() != Some(&column) && !to.contains(&column) {
        to.push(column);
    }
}

/// The columns of an order, without the key that ends every order. `None` where no index can have the order: it mixes
/// directions, or sorts by another table.
fn order(resource: &Descriptor, sort: &[SortKey]) -> Option<Vec<usize>> {
    let descending = sort.first().is_some_and(|key| key.descending);
    let is_served = sort.iter().all(|key| key.descending == descending && key.column < resource.columns.len());
    is_served.then(|| sort.iter().map(|key| key.column).take_while(|column| !resource.is_key(*column)).collect())
}

/// An order as the `sort` parameter of a list spells it, without the key at its end.
pub(crate) fn sort_text(resource: &Descriptor, sort: &[SortKey]) -> String {
    let own = sort.iter().take_while(|key| !resource.is_key(key.column));
    let keys = own.map(|key| {
        let name = resource.columns.get(key.column).map_or("(a field of another resource)", |column| column.json);
        format!("{}{name}", if key.descending { "-" } else { "" })
    });
    keys.collect::<Vec<_>>().join(",")
}

/// A condition without its values, such as `category_id = ? and price > ?`.
pub(crate) fn filter_text(resource: &Descriptor, filter: &Predicate) -> String {
    let mut text = String::new();
    write_filter(resource, filter, &mut text);
    text
}

fn write_filter(resource: &Descriptor, filter: &Predicate, text: &mut String) {
    let name = |column: &usize| resource.columns[*column].json;
    // Writing to a String cannot fail.
    let _ = match filter {
        Predicate::All => Ok(()),
        Predicate::Compare { column, operator, .. } => {
            let operator = match operator {
                Comparison::Eq => "=",
                Comparison::Ne => "<>",
                Comparison::Gt => ">",
                Comparison::Gte => ">=",
                Comparison::Lt => "<",
                Comparison::Lte => "<=",
            };
            write!(text, "{} {operator} ?", name(column))
        }
        Predicate::In { column, negated, .. } => {
            write!(text, "{}{} in (?)", name(column), if *negated { " not" } else { "" })
        }
        Predicate::Like { column, .. } => write!(text, "{} like ?", name(column)),
        Predicate::IsNull { column, null } => {
            write!(text, "{} is {}", name(column), if *null { "null" } else { "not null" })
        }
        Predicate::InSubquery(select) => {
            let names: Vec<&str> = select.columns.iter().map(|(column, _)| name(column)).collect();
            let _ = write!(text, "{} in ({} where ", names.join(", "), select.resource.name);
            write_filter(select.resource, &select.filter, text);
            write!(text, ")")
        }
        Predicate::Search { .. } => write!(text, "search ?"),
        Predicate::And(terms) => return write_terms(resource, terms, " and ", text),
        Predicate::Or(terms) => {
            text.push('(');
            write_terms(resource, terms, " or ", text);
            write!(text, ")")
        }
        Predicate::Not(term) => {
            text.push_str("not (");
            write_filter(resource, term, text);
            write!(text, ")")
        }
    };
}

fn write_terms(resource: &Descriptor, terms: &[Predicate], between: &str, text: &mut String) {
    for (index, term) in terms.iter().enumerate() {
        if index > 0 {
            text.push_str(between);
        }
        write_filter(resource, term, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::value::Value;
    use crate::query::total_order;
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter, sort, soft_delete, index(shelf, price))]
    #[allow(dead_code)]
    struct Item {
        id: i64,
        #[crud(rename = "place")]
        shelf: i64,
        price: i64,
        weight: i64,
        is_deleted: bool,
        deleted_at: Option<DateTime<Utc>>,
    }

    const SHELF: usize = 1;
    const PRICE: usize = 2;
    const WEIGHT: usize = 3;

    fn compare(column: usize, operator: Comparison) -> Predicate {
        Predicate::Compare { column, operator, value: Value::Int(1) }
    }

    fn advice(filter: Vec<Predicate>, sort: &[(usize, bool)]) -> Option<String> {
        let keys = sort.iter().map(|(column, descending)| SortKey::new(*column, *descending)).collect();
        let active = Predicate::IsNull { column: Item::DESCRIPTOR.soft_delete.unwrap().deleted_at, null: true };
        let filter = Predicate::And([vec![active], filter].concat());
        index_for(Item::DESCRIPTOR, &filter, &total_order(Item::DESCRIPTOR, keys))
    }

    #[test]
    fn index_has_equal_columns_then_the_order_then_ranges() {
        let (shelf, heavy) = (compare(SHELF, Comparison::Eq), compare(WEIGHT, Comparison::Gt));
        let weights = Some("index(shelf, weight)".to_owned());
        assert_eq!(advice(vec![shelf.clone()], &[(WEIGHT, true)]), weights);
        assert_eq!(advice(vec![heavy.clone(), shelf.clone()], &[]), weights);
        assert_eq!(advice(vec![heavy, shelf], &[(PRICE, false)]), Some("index(shelf, price, weight)".to_owned()));
    }

    #[test]
    fn no_index_is_recommended_that_is_there_or_cannot_serve() {
        let shelf = compare(SHELF, Comparison::Eq);
        assert_eq!(advice(vec![shelf.clone()], &[(PRICE, false)]), None, "it is there");
        assert_eq!(advice(vec![shelf.clone()], &[]), None, "one column has an index");
        assert_eq!(advice(vec![shelf.clone()], &[(WEIGHT, true), (PRICE, false)]), None, "both directions");
        assert_eq!(advice(vec![Predicate::Or(vec![shelf, compare(WEIGHT, Comparison::Eq)])], &[]), None);
    }

    #[test]
    fn texts_name_fields_and_no_values() {
        let filter = Predicate::And(vec![
            compare(SHELF, Comparison::Eq),
            Predicate::Or(vec![
                compare(PRICE, Comparison::Lt),
                Predicate::Not(Box::new(compare(WEIGHT, Comparison::Ne))),
            ]),
            Predicate::In { column: PRICE, negated: true, values: vec![Value::Int(1)] },
        ]);
        let text = "place = ? and (price < ? or not (weight <> ?)) and price not in (?)";
        assert_eq!(filter_text(Item::DESCRIPTOR, &filter), text);
        let keys = total_order(Item::DESCRIPTOR, vec![SortKey::new(SHELF, true), SortKey::new(PRICE, false)]);
        assert_eq!(sort_text(Item::DESCRIPTOR, &keys), "-place,price");
    }
}
