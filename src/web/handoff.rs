//! How the browser that this program opens itself comes in. Its address stands in the arguments of the browser's process,
//! which every user of the computer can read, so it must not carry the run's token: it carries a key that opens once, soon,
//! and (where the system tells, that is on Linux) only to a connection of the user who started this program.

use super::guard::Token;
use crate::time::HostTime;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

/// A browser that is started takes some seconds; on a slow computer with a cold disk half a minute, ms.
const VALID_MS: f64 = 120_000.0;

/// The key, while it is out.
#[derive(Default)]
pub struct HandOff(Mutex<Option<(Token, HostTime)>>);

impl HandOff {
    /// A new key, in the place of any before.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn offer(&self, now: HostTime) -> Result<Token, getrandom::Error> {
        let key = Token::random()?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((key.clone(), now.plus_ms(VALID_MS)));
        Ok(key)
    }

    /// Whether this key opens; it does so once. A stranger who has read it cannot use it up either.
    pub fn redeem(&self, given: &str, now: HostTime, is_own_user: impl FnOnce() -> bool) -> bool {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let opens = place.as_ref().is_some_and(|(key, until)| key.is(given) && now < *until) && is_own_user();
        if opens {
            *place = None;
        }
        opens
    }
}

/// Whether the connection from `peer` to `own`, on this computer, was made by this program's user. Where the system does
/// not tell, everybody passes; on Linux a connection that is not in the system's list does not.
pub fn is_own_user(peer: SocketAddr, own: SocketAddr) -> bool {
    #[cfg(target_os = "linux")]
    {
        let user = nix::unistd::geteuid().as_raw();
        let lists = ["/proc/net/tcp", "/proc/net/tcp6"].iter().filter_map(|list| std::fs::read_to_string(list).ok());
        lists.into_iter().find_map(|list| user_of(&list, peer, own)) == Some(user)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (peer, own);
        true
    }
}

/// The user of the established connection from `from` to `to` in a list as Linux writes it.
#[cfg(any(target_os = "linux", test))]
fn user_of(list: &str, from: SocketAddr, to: SocketAddr) -> Option<u32> {
    const ESTABLISHED: &str = "01";
    let names = |address: SocketAddr| proc_names(address).map(|name| format!("{name}:{:04X}", address.port()));
    let (from, to) = (names(from), names(to));
    list.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[_, local, remote, ESTABLISHED, _, _, _, user, ..] = words.as_slice() else { return None };
        let is_it = from.iter().any(|name| name == local) && to.iter().any(|name| name == remote);
        user.parse().ok().filter(|_| is_it)
    })
}

/// An address as Linux lists it: words of 32 bits in this machine's byte order; an IPv4 address also as an IPv6 one.
#[cfg(any(target_os = "linux", test))]
fn proc_names(address: SocketAddr) -> [String; 2] {
    let word = |bytes: [u8; 4]| format!("{:08X}", u32::from_ne_bytes(bytes));
    let six = |bytes: [u8; 16]| bytes.chunks(4).map(|c| word([c[0], c[1], c[2], c[3]])).collect::<String>();
    match address {
        SocketAddr::V4(four) => [word(four.ip().octets()), six(four.ip().to_ipv6_mapped().octets())],
        SocketAddr::V6(address) => [six(address.ip().octets()), six(address.ip().octets())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_opens_once_soon_and_only_to_its_user() {
        let at = HostTime::from_ms;
        let hand_off = HandOff::default();
        assert!(!hand_off.redeem("", at(0.0), || true));
        let key = hand_off.offer(at(0.0)).unwrap();
        assert!(!hand_off.redeem(key.text(), at(1.0), || false), "another user");
        assert!(!hand_off.redeem("0123", at(1.0), || true));
        assert!(hand_off.redeem(key.text(), at(1.0), || true));
        assert!(!hand_off.redeem(key.text(), at(2.0), || true), "once");
        let late = hand_off.offer(at(3.0)).unwrap();
        assert!(!hand_off.redeem(late.text(), at(3.0 + VALID_MS), || true));
        let first = hand_off.offer(at(4.0)).unwrap();
        let second = hand_off.offer(at(5.0)).unwrap();
        assert!(!hand_off.redeem(first.text(), at(6.0), || true) && hand_off.redeem(second.text(), at(6.0), || true));
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn a_connections_user_is_read_from_the_systems_list() {
        let list = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
            0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1\n   \
            1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 2 1\n   \
            2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 3 1\n   \
            3: 0100007F:C351 0100007F:1F90 06 00000000:00000000 00:00000000 00000000     0        0 0 1\n   \
            4: 0000000000000000FFFF00000100007F:C352 0000000000000000FFFF00000100007F:1F90 01 0:0 00:0 0  1002  0 4 1\n";
        let own = "127.0.0.1:8080".parse().unwrap();
        let user = |port: u16| user_of(list, SocketAddr::from(([127, 0, 0, 1], port)), own);
        assert_eq!((user(50000), user(50001), user(50002), user(50003)), (Some(1001), None, Some(1002), None));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_very_process_is_its_own_user() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap();
        let stream = std::net::TcpStream::connect(own).unwrap();
        let peer = stream.local_addr().unwrap();
        assert!(is_own_user(peer, own));
        let other = SocketAddr::new(peer.ip(), peer.port() ^ 1);
        assert!(!is_own_user(other, own), "no such connection");
    }
}
