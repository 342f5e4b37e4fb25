//! [`by_place`]: rows of one statement about several tables, sorted to their tables.

/// The things of each table of a list. `rows`: each after the place of its table in the list.
pub(crate) fn by_place<T>(tables: usize, rows: impl IntoIterator<Item = (usize, T)>) -> Vec<Vec<T>> {
    let mut all: Vec<Vec<T>> = (0..tables).map(|_| Vec::new()).collect();
    for (place, thing) in rows {
        if let Some(of_table) = all.get_mut(place) {
            of_table.push(thing);
        }
    }
    all
}

/// Rows of which several make one thing: those of a thing follow each other, and the first one gets what the others have.
pub(crate) fn joined<T>(mut rows: Vec<T>, is_same: impl Fn(&T, &T) -> bool, join: impl Fn(&mut T, &mut T)) -> Vec<T> {
    rows.dedup_by(|next, first| {
        let is_next = is_same(first, next);
        if is_next {
            join(first, next);
        }
        is_next
    });
    rows
}
