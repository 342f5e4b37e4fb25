//! The listener of a server.

use std::io;

use tokio::net::{TcpListener, TcpSocket, ToSocketAddrs, lookup_host};

/// Connections that wait to be accepted, at most. With the 128 of [`TcpListener::bind`], a burst of clients leaves some
/// that believe to be connected and are not; the system may have a lower limit (`net.core.somaxconn`).
const BACKLOG: u32 = 1024;

/// Listens on the first of these addresses that can be listened on.
///
/// # Errors
/// When there is none: that of the last.
pub(crate) async fn listen(addresses: impl ToSocketAddrs) -> io::Result<TcpListener> {
    let mut last = io::Error::new(io::ErrorKind::InvalidInput, "the name has no address");
    for address in lookup_host(addresses).await? {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
        let listening = socket.and_then(|socket| {
            // A server that starts anew takes its port at once. On Windows this means that others may take it too.
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
