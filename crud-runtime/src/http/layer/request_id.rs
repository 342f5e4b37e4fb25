//! The request id, a task-local value for log lines and responses.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use uuid::{Builder, Uuid};

pub(crate) use crate::response::request_id::{current, scope};

/// A new id: a UUID of version 7, whose time is in milliseconds (RFC 9562, section 5.7). [`Uuid::now_v7`] takes a lock of the
/// process and calls the system each time.
pub(crate) fn generate() -> Arc<str> {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let id = match RANDOM.with_borrow_mut(RandomBytes::take) {
        Some(bytes) => Builder::from_unix_timestamp_millis(u64::try_from(time).unwrap_or(u64::MAX), &bytes).into_uuid(),
        None => Uuid::now_v7(),
    };
    Arc::from(&*id.as_hyphenated().encode_lower(&mut Uuid::encode_buffer()))
}

thread_local! {
    static RANDOM: RefCell<RandomBytes> = const { RefCell::new(RandomBytes { bytes: [[0; 10]; IDS], remaining: 0 }) };
}

/// The number of ids that the system is asked for random bytes for at a time.
const IDS: usize = 64;

/// Random bytes of a thread, each of which is used once.
struct RandomBytes {
    bytes: [[u8; 10]; IDS],
    remaining: usize,
}

impl RandomBytes {
    /// The bytes of an id; `None` where the system gives no random bytes.
    fn take(&mut self) -> Option<[u8; 10]> {
        if self.remaining == 0 {
            getrandom::fill(self.bytes.as_flattened_mut()).ok()?;
            self.remaining = IDS;
        }
        self.remaining -= 1;
        Some(self.bytes[self.remaining])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_different_uuids_of_version_7() {
        let ids: HashSet<Arc<str>> = (0..3 * IDS).map(|_| generate()).collect();
        assert_eq!(ids.len(), 3 * IDS);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        for id in ids {
            let id = Uuid::parse_str(&id).unwrap();
            assert_eq!((id.get_version_num(), id.get_variant()), (7, uuid::Variant::RFC4122));
            assert!(id.get_timestamp().unwrap().to_unix().0.abs_diff(now) <= 60);
        }
    }
}
