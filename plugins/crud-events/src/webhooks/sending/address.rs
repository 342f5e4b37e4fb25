//! Addresses that webhooks may connect to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A network: its first address and the number of its leading bits.
type V4Network = (Ipv4Addr, u32);

/// A network: its first address and the number of its leading bits.
type V6Network = (Ipv6Addr, u32);

/// Networks that are not public, by the IANA IPv4 Special-Purpose Address Registry (RFC 6890), and multicast.
const REFUSED_V4: [V4Network; 16] = [
    // This host and this network.
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Carrier-grade NAT (RFC 6598).
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local, where clouds have their metadata.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    // IETF protocol assignments, including NAT64 discovery.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    // 6to4 relays.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Benchmarks.
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    // Reserved, and the broadcast address.
    (Ipv4Addr::new(240, 0, 0, 0), 4),
    // Azure's metadata of virtual machines. The address is a public one.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
];

/// Global unicast: everything outside of it is refused, such as loopback, unique local, link-local and multicast addresses,
/// IPv4-mapped ones, and those of NAT64.
const GLOBAL_V6: V6Network = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Networks of global unicast that are refused, by the IANA IPv6 Special-Purpose Address Registry.
const REFUSED_V6: [V6Network; 4] = [
    // IETF protocol assignments, including Teredo, whose addresses contain an IPv4 address.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4, whose addresses contain an IPv4 address.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    // Documentation.
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether an address is public. An IPv6 address that contains an IPv4 address is not, whatever that address is.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !REFUSED_V4.iter().any(|network| is_in_v4(address, *network)),
        IpAddr::V6(address) => {
            is_in_v6(address, GLOBAL_V6) && !REFUSED_V6.iter().any(|network| is_in_v6(address, *network))
        }
    }
}

fn is_in_v4(address: Ipv4Addr, (network, bits): V4Network) -> bool {
    (u32::from(address) ^ u32::from(network)).leading_zeros() >= bits
}

fn is_in_v6(address: Ipv6Addr, (network, bits): V6Network) -> bool {
    (u128::from(address) ^ u128::from(network)).leading_zeros() >= bits
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn only_addresses_of_the_internet_are_public() {
        for address in
            ["8.8.8.8", "1.1.1.1", "100.63.255.255", "172.32.0.1", "198.20.0.1", "2606:4700::1111", "2a00::1"]
        {
            assert!(is_public(address.parse().unwrap()), "{address} is public");
        }
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.170",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address} is not public");
        }
        for address in [
            "::",
            "::1",
            "::8.8.8.8",
            "::ffff:8.8.8.8",
            "::ffff:127.0.0.1",
            "::ffff:0:10.0.0.1",
            "64:ff9b::8.8.8.8",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::1",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "5f00::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address} is not public");
        }
    }
}
