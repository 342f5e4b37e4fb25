//! The network of a client, by which limits count in place of the address.

use std::net::{IpAddr, Ipv6Addr};

/// The network of one client: an IPv4 address, or the 64-bit prefix of an IPv6 address, whose rest the client chooses.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_an_address_of_ipv6_is_its_network() {
        for (address, expected) in
            [("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::")]
        {
            assert_eq!(network(address.parse().unwrap()).to_string(), expected);
        }
    }
}
