//! Numbers in as few bytes as they need, seven bits each, lowest first.

/// Appends a number.
pub fn encode(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front; `None` when there is none.
pub fn decode(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Appends how far one number is from another; near ones take few bytes.
pub fn encode_step(from: u64, to: u64, out: &mut Vec<u8>) {
    let step = to.wrapping_sub(from) as i64;
    encode((step << 1 ^ step >> 63) as u64, out);
}

/// Takes a step off the front, and gives the number that it leads to.
pub fn decode_step(from: u64, bytes: &mut &[u8]) -> Option<u64> {
    let code = decode(bytes)?;
    let step = (code >> 1) ^ (code & 1).wrapping_neg();
    Some(from.wrapping_add(step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_steps_come_back() {
        let numbers = [0, 1, 127, 128, 1 << 20, (1 << 63) - 1, 1 << 63, u64::MAX];
        for from in numbers {
            for to in numbers {
                let mut bytes = Vec::new();
                encode(to, &mut bytes);
                encode_step(from, to, &mut bytes);
                let mut rest = &bytes[..];
                assert_eq!(decode(&mut rest), Some(to));
                assert_eq!(decode_step(from, &mut rest), Some(to));
                assert!(rest.is_empty());
            }
        }
        assert_eq!(decode(&mut &[0x80; 3][..]), None);
        assert_eq!(decode(&mut &[0xFF; 20][..]), None);
    }
}
