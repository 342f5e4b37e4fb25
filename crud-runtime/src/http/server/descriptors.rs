//! The default connection limit, from the process's limit of file descriptors.

/// Maximum number of connections by default: a connection takes about 10 KB, and one machine rarely has use for more.
const MAX_CONNECTIONS: u32 = 10_000;

/// Minimum number of descriptors left for database connections, files and the listener.
const RESERVE: u64 = 64;

/// The connection limit of a service that sets none.
pub(crate) fn default_connections() -> u32 {
    connections_within(limit())
}

/// Three quarters of the descriptors, with the reserve left free and no more than [`MAX_CONNECTIONS`].
fn connections_within(descriptors: Option<u64>) -> u32 {
    let Some(descriptors) = descriptors else { return MAX_CONNECTIONS };
    let reserve = RESERVE.max(descriptors / 4);
    // With hardly any descriptors, the service still has to accept one connection.
    u32::try_from(descriptors.saturating_sub(reserve)).unwrap_or(MAX_CONNECTIONS).clamp(1, MAX_CONNECTIONS)
}

/// The file descriptors that the process may have open; `None` where there is no limit.
#[cfg(unix)]
pub(crate) fn limit() -> Option<u64> {
    use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
    let (current, _) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    (current != RLIM_INFINITY).then_some(current)
}

#[cfg(not(unix))]
pub(crate) fn limit() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_connection_limit_leaves_descriptors_for_the_database() {
        for (descriptors, connections) in [(16, 1), (256, 192), (1024, 768), (1 << 20, MAX_CONNECTIONS)] {
            assert_eq!(connections_within(Some(descriptors)), connections, "{descriptors} descriptors");
        }
        assert_eq!(connections_within(None), MAX_CONNECTIONS);
    }
}
