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
