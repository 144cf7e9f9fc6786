//! The bytes of a log file: a head, then records, all of them in words of eight bytes.
//!
//! ```text
//!  head     magic "KALUTALG" | format version | sequence of the first record | crc32c of these
//!  record   magic "KALUTARC" | crc32c of all that follows (32 bits) | 0 (32 bits)
//!           length of the payload in bytes | sequence | sequence up to which the log was durable
//!           payload | zeros up to a whole word
//! ```
//!
//! A record with an empty payload is a mark: it commits nothing, has the sequence of the commit before it, and says
//! that this one was durable. A store that is closed leaves one at the end.

/// What a log file begins with.
const FILE_MAGIC: u64 = u64::from_le_bytes(*b"KALUTALG");
const VERSION: u64 = 1;
const RECORD_MAGIC: [u8; 8] = *b"KALUTARC";
/// The bytes of the head of a file.
pub const FILE_HEAD_BYTES: usize = 32;
/// The bytes of a record before its payload.
const RECORD_HEAD_BYTES: usize = 40;
const CHECKED_FROM: usize = 16;

/// The head of a file.
pub fn file_head(first_sequence: u64) -> Vec<u8> {
    let words = [FILE_MAGIC, VERSION, first_sequence];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(u64::from(crc32c::crc32c(&bytes)).to_le_bytes());
    bytes
}

/// What the head of a file says.
#[derive(Debug, PartialEq, Eq)]
pub enum FileHead {
    /// The sequence of its first record.
    First(u64),
    /// It is of another version of the format.
    Version(u64),
    /// It is not whole.
    Torn,
}

/// Reads the head of a file.
pub fn read_file_head(bytes: &[u8]) -> FileHead {
    let Some(head) = bytes.first_chunk::<FILE_HEAD_BYTES>() else {
        return FileHead::Torn;
    };
    let word = |i: usize| word_at(head, i * 8);
    let checksum = u64::from(crc32c::crc32c(&head[..24]));
    match (word(0), word(1), word(3)) {
        (FILE_MAGIC, VERSION, sum) if sum == checksum => FileHead::First(word(2)),
        (FILE_MAGIC, version, sum) if sum == checksum => FileHead::Version(version),
        _ => FileHead::Torn,
    }
}

/// A record.
#[derive(Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The number of its commit, or of the one before a mark.
    pub sequence: u64,
    /// The last commit that was durable when it was written.
    pub durable: u64,
    /// What was committed; nothing in a mark.
    pub payload: &'a [u8],
}

impl<'a> Record<'a> {
    /// Appends a record whose payload is written by a function.
    pub fn encode(
        sequence: u64,
        durable: u64,
        payload: impl FnOnce(&mut Vec<u8>),
        out: &mut Vec<u8>,
    ) {
        let start = out.len();
        out.extend(RECORD_MAGIC);
        out.extend([0; 16]);
        out.extend(sequence.to_le_bytes());
        out.extend(durable.to_le_bytes());
        payload(out);
        let len = (out.len() - start - RECORD_HEAD_BYTES) as u64;
        out[start + 16..start + 24].copy_from_slice(&len.to_le_bytes());
        out.resize(start + (out.len() - start).next_multiple_of(8), 0);
        let checksum = crc32c::crc32c(&out[start + CHECKED_FROM..]);
        out[start + 8..start + 12].copy_from_slice(&checksum.to_le_bytes());
    }

    /// Reads the record at the front of some bytes, and gives the number of its bytes; `None` when there is none that
    /// is whole.
    pub fn decode(bytes: &'a [u8]) -> Option<(Self, usize)> {
        if !bytes.starts_with(&RECORD_MAGIC) || bytes.len() < RECORD_HEAD_BYTES {
            return None;
        }
        let len = usize::try_from(word_at(bytes, 16)).ok()?;
        let end = RECORD_HEAD_BYTES.checked_add(len)?;
        let whole = bytes.get(..end.checked_next_multiple_of(8)?)?;
        let checksum = u64::from(crc32c::crc32c(&whole[CHECKED_FROM..]));
        (word_at(whole, 8) == checksum).then(|| {
            let record = Self {
                sequence: word_at(whole, 24),
                durable: word_at(whole, 32),
                payload: &whole[RECORD_HEAD_BYTES..end],
            };
            (record, whole.len())
        })
    }
}

/// The places at which a record may begin, from a place on.
pub fn candidates(bytes: &[u8], from: usize) -> impl Iterator<Item = usize> {
    let words = bytes.get(from..).unwrap_or_default().chunks_exact(8);
    words
        .enumerate()
        .filter(|(_, word)| **word == RECORD_MAGIC)
        .map(move |(i, _)| from + i * 8)
}

fn word_at(bytes: &[u8], offset: usize) -> u64 {
    let word = bytes[offset..].first_chunk().copied().unwrap_or_default();
    u64::from_le_bytes(word)
}
