//! The listener of a server.

use std::io;

use tokio::net::{TcpListener, TcpSocket, ToSocketAddrs, lookup_host};

/// Maximum number of connections that wait to be accepted. With the 128 of [`TcpListener::bind`], a burst leaves
/// clients that take themselves for connected and are not; the system may have a lower limit (`net.core.somaxconn`).
const BACKLOG: u32 = 1024;

/// Listens on the first available one of these addresses.
///
/// # Errors
/// The error of the last address, when none is available.
pub(crate) async fn listen(addresses: impl ToSocketAddrs) -> io::Result<TcpListener> {
    let mut last = io::Error::new(io::ErrorKind::InvalidInput, "the name has no address");
    for address in lookup_host(addresses).await? {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
        let listening = socket.and_then(|socket| {
            // A restarted server gets its port at once. Not on Windows, where other programs could then take the port
            // too.
            #[cfg(not(windows))]
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            socket.listen(BACKLOG)
        });
        match listening {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::net::TcpStream;

    use super::listen;

    #[tokio::test]
    async fn a_burst_of_connections_waits_to_be_accepted() {
        let listener = listen("127.0.0.1:0").await.expect("a listener");
        let address = listener.local_addr().expect("an address");
        let mut waiting = Vec::new();
        for number in 0..300 {
            let connection = tokio::time::timeout(Duration::from_secs(10), TcpStream::connect(address)).await;
            waiting
                .push(connection.unwrap_or_else(|_| panic!("connection {number} is not answered")).expect("connected"));
        }
    }
}
