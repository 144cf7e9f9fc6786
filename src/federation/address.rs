//! Which addresses belong to the public internet: those that IANA's registries of special-purpose addresses do not list
//! as local, private or reserved (RFC 6890). IPv6 addresses that carry an IPv4 address are judged by it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is reachable for everyone, so that asking it tells nothing of this machine's own network.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => match embedded(v6) {
            Some(v4) => is_public_v4(v4),
            None => is_public_v6(v6),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = match a {
        0 | 10 | 127 => true,
        100 => (64..128).contains(&b),
        169 => b == 254,
        172 => (16..32).contains(&b),
        192 => b == 168 || (b == 0 && (c == 0 || c == 2)) || (b == 88 && c == 99),
        198 => b == 18 || b == 19 || (b == 51 && c == 100),
        203 => b == 0 && c == 113,
        _ => a >= 224,
    };
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    // Global unicast addresses are 2000::/3; documentation and protocol assignments lie within.
    first & 0xe000 == 0x2000 && !(first == 0x2001 && (second == 0x0db8 || second < 0x0200))
}

/// The IPv4 address in a mapped, compatible, translated (RFC 6052) or 6to4 (RFC 3056) one.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => Some(v4(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(v4(high, low)),
        [0x2002, high, low, ..] => Some(v4(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn local_and_reserved_addresses_are_not_public() {
        let check = |wanted: bool, addresses: &str| {
            for address in addresses.split(' ') {
                assert_eq!(is_public(address.parse().unwrap()), wanted, "{address}");
            }
        };
        check(
            true,
            "1.1.1.1 93.184.216.34 172.32.0.1 100.128.0.1 192.0.1.1 2606:4700::1111 ::ffff:1.1.1.1",
        );
        check(
            false,
            "127.0.0.1 10.1.2.3 172.16.0.1 172.31.9.9 192.168.1.1 169.254.169.254 0.0.0.0 100.64.0.1 224.0.0.1",
        );
        check(
            false,
            "255.255.255.255 192.0.2.1 198.18.0.1 203.0.113.9 ::1 :: fe80::1 fd00::1 ff02::1 2001:db8::1",
        );
        check(
            false,
            "::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::a00:1 2002:7f00:1::1 fec0::1",
        );
    }
}
