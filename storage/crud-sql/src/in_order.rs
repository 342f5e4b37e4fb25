//! [`in_order`]: a topological sort.

/// Sorts items so that each comes after those that it waits for. A cycle is broken at its first item.
pub(crate) fn in_order<T>(mut waiting: Vec<T>, waits: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut ordered = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let next = waiting.iter().position(|one| !waiting.iter().any(|other| waits(one, other)));
        ordered.push(waiting.remove(next.unwrap_or_default()));
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn name_is_given_once_it_is_free() {
        let ordered = in_order(vec!["ab", "bc", "xy", "cd"], |one, other| one[1..] == other[..1]);
        assert_eq!(ordered, ["xy", "cd", "bc", "ab"]);
    }
}
