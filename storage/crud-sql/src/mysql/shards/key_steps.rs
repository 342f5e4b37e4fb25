//! [`KeySteps`]: the settings by which a server assigns keys.

/// The keys that a server assigns: from `offset` on, in steps of `increment`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeySteps {
    pub(super) increment: i64,
    pub(super) offset: i64,
}

impl KeySteps {
    /// Whether no two of the servers assign the same key. A server ignores an offset greater than its increment.
    pub(super) fn are_disjoint(all: &[Self]) -> bool {
        let is_alone = |at: usize| all[..at].iter().all(|other| other.offset != all[at].offset);
        let increment = all.first().map_or(1, |first| first.increment);
        all.iter().all(|one| one.increment == increment && one.offset <= increment) && (0..all.len()).all(is_alone)
    }
}

#[cfg(test)]
mod tests {
    use super::KeySteps;

    fn are_disjoint(steps: &[(i64, i64)]) -> bool {
        let steps: Vec<_> = steps.iter().map(|&(increment, offset)| KeySteps { increment, offset }).collect();
        KeySteps::are_disjoint(&steps)
    }

    #[test]
    fn servers_assign_disjoint_keys_by_one_increment_and_an_offset_each() {
        assert!(are_disjoint(&[(2, 1), (2, 2)]) && are_disjoint(&[(10, 3), (10, 1), (10, 7)]));
        for same in [[(1, 1), (1, 1)], [(2, 1), (2, 1)], [(2, 1), (3, 2)], [(2, 1), (2, 3)], [(1, 1), (1, 2)]] {
            assert!(!are_disjoint(&same), "{same:?}");
        }
    }
}
