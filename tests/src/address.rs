//! Addresses for servers that are started as processes.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::id;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::net::TcpSocket;

/// The ports. Systems give higher ones to clients, of which one could take the port before the server does.
const FIRST: u32 = 16_000;
const COUNT: u32 = 16_000;

/// An address that is free at the moment, and that no other call in this process returns.
///
/// # Panics
/// When all are taken.
pub fn free_address() -> SocketAddr {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    // Processes that are started one after another begin far from each other.
    let next = || id().wrapping_mul(997).wrapping_add(CALLS.fetch_add(1, Ordering::Relaxed)) % COUNT + FIRST;
    let address = || SocketAddr::from((Ipv4Addr::LOCALHOST, u16::try_from(next()).expect("a port")));
    std::iter::repeat_with(address).take(COUNT as usize).find(|address| bind(*address).is_ok()).expect("a free port")
}

/// Fails when the address is taken. Does not listen: a process that another thread starts meanwhile has a copy of the
/// socket for some milliseconds, and would accept the first requests to the server that the address is for.
fn bind(address: SocketAddr) -> io::Result<()> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;
    use std::process::Command;
    use std::thread;

    use super::*;

    #[test]
    fn a_free_address_accepts_no_connection_while_processes_start() {
        thread::scope(|scope| {
            let starts: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| (0..100).for_each(|_| assert!(Command::new("true").status().is_ok()))))
                .collect();
            while !starts.iter().all(thread::ScopedJoinHandle::is_finished) {
                let address = free_address();
                assert!(TcpStream::connect(address).is_err(), "{address} accepts");
            }
        });
    }
}
