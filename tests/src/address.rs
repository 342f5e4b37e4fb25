//! Addresses for servers that are started as processes.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::id;
use std::sync::atomic::{AtomicU32, Ordering};

/// The ports. Systems give higher ones to clients, of which one could take the port before the server does.
const FIRST: u32 = 16_000;
const COUNT: u32 = 16_000;

/// An address that is free at the moment, and that no other call in this process returns.
///
/// # Panics
/// When all are taken.
pub fn free_address() -> SocketAddr {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let is_free = |address: &SocketAddr| TcpListener::bind(address).is_ok();
    // Processes that are started one after another begin far from each other.
    let next = || id().wrapping_mul(997).wrapping_add(CALLS.fetch_add(1, Ordering::Relaxed)) % COUNT + FIRST;
    let address = || SocketAddr::from((Ipv4Addr::LOCALHOST, u16::try_from(next()).expect("a port")));
    std::iter::repeat_with(address).take(COUNT as usize).find(is_free).expect("a free port")
}
