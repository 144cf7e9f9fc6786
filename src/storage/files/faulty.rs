//! A file system in memory that fails, and after a crash keeps no more than it promised.
//!
//! Each file has its live bytes and its durable bytes, each directory its live names and its durable names. Every
//! operation that changes anything is counted. From one of them on all may fail, as if the process had died there, or
//! one alone may, as if the disk was full; [`FaultyFiles::after_crash`] is then what a restarted machine may find.

use super::{FileSystem, OutputFile};
use crate::storage::mapped::Mapped;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// The operation with this number and all after it fail, the first one having written half of its bytes.
    Crash(u64),
    /// The operation with this number fails, having written half of its bytes.
    Once(u64),
}

/// What of the writes that were not synced is there after a crash.
#[derive(Clone, Copy, Debug)]
pub enum Survival {
    /// All: the machine ran on.
    All,
    /// Nothing.
    Nothing,
    /// The names alone.
    Names,
    /// The names, and half of the bytes.
    Half,
    /// The names, and the last bytes, with zeros in the place of those before.
    Last,
}

impl Survival {
    /// Every one.
    pub const EVERY: [Self; 5] = [
        Self::All,
        Self::Nothing,
        Self::Names,
        Self::Half,
        Self::Last,
    ];
}

#[derive(Debug, Default)]
struct Bytes {
    live: Vec<u8>,
    durable: Vec<u8>,
}

type Contents = Arc<Mutex<Bytes>>;

#[derive(Debug)]
struct State {
    live: BTreeMap<PathBuf, Contents>,
    durable: BTreeMap<PathBuf, Contents>,
    operations: u64,
    fault: Fault,
}

/// The file system; a clone is the same one.
#[derive(Clone, Debug)]
pub struct FaultyFiles(Arc<Mutex<State>>);

impl State {
    /// Counts an operation; an error when it is to fail.
    fn count(&mut self) -> io::Result<()> {
        let number = self.operations;
        self.operations += 1;
        match self.fault {
            Fault::Crash(from) if number >= from => Err(io::Error::other("the machine crashed")),
            Fault::Once(at) if number == at => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }

    /// Whether the operation that is counted next is the first to fail.
    fn fails_next(&self) -> bool {
        matches!(self.fault, Fault::Crash(at) | Fault::Once(at) if at == self.operations)
    }

    fn get(&self, path: &Path) -> io::Result<&Contents> {
        self.live
            .get(path)
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl FaultyFiles {
    /// An empty file system.
    pub fn new(fault: Fault) -> Self {
        Self(Arc::new(Mutex::new(State {
            live: BTreeMap::new(),
            durable: BTreeMap::new(),
            operations: 0,
            fault,
        })))
    }

    /// The operations so far.
    pub fn operations(&self) -> u64 {
        self.0.lock().unwrap().operations
    }

    /// The names and bytes of all files.
    pub fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.0.lock().unwrap();
        let files = state.live.iter();
        files
            .map(|(path, file)| (path.clone(), file.lock().unwrap().live.clone()))
            .collect()
    }

    /// Writes over a file, whatever it held.
    pub fn put(&self, path: &Path, bytes: Vec<u8>) {
        let bytes = Bytes {
            durable: bytes.clone(),
            live: bytes,
        };
        let mut state = self.0.lock().unwrap();
        state
            .live
            .insert(path.to_path_buf(), Arc::new(Mutex::new(bytes)));
    }

    /// What is there when the machine is started again; it has no faults.
    pub fn after_crash(&self, survival: Survival) -> Self {
        let state = self.0.lock().unwrap();
        let names = match survival {
            Survival::Nothing => &state.durable,
            _ => &state.live,
        };
        let restarted = Self::new(Fault::None);
        for (path, file) in names {
            let file = file.lock().unwrap();
            let synced = file.durable.len();
            let mut bytes = file.durable.clone();
            match survival {
                Survival::All => bytes.clone_from(&file.live),
                Survival::Nothing | Survival::Names => {}
                Survival::Half => {
                    let unsynced = file.live.get(synced..).unwrap_or_default();
                    bytes.extend(&unsynced[..unsynced.len() / 2]);
                }
                Survival::Last => {
                    let unsynced = file.live.get(synced..).unwrap_or_default();
                    let (lost, kept) = unsynced.split_at(unsynced.len() / 2);
                    bytes.resize(synced + lost.len(), 0);
                    bytes.extend(kept);
                }
            }
            restarted.put(path, bytes);
        }
        let mut state = restarted.0.lock().unwrap();
        state.durable = state.live.clone();
        drop(state);
        restarted
    }
}

#[derive(Debug)]
struct OpenFile {
    system: FaultyFiles,
    contents: Contents,
}

impl OutputFile for OpenFile {
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.system.0.lock().unwrap();
        let is_torn = state.fails_next();
        let outcome = state.count();
        let written = match outcome {
            Ok(()) => bytes,
            Err(_) if is_torn => &bytes[..bytes.len() / 2],
            Err(_) => &[],
        };
        self.contents.lock().unwrap().live.extend(written);
        outcome
    }

    fn sync(&self) -> io::Result<()> {
        self.system.0.lock().unwrap().count()?;
        let mut contents = self.contents.lock().unwrap();
        contents.durable = contents.live.clone();
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.system.0.lock().unwrap().count()?;
        self.contents.lock().unwrap().live.truncate(len as usize);
        Ok(())
    }
}

impl FileSystem for FaultyFiles {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn OutputFile>> {
        let mut state = self.0.lock().unwrap();
        state.count()?;
        if state.live.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let contents = Contents::default();
        state.live.insert(path.to_path_buf(), Arc::clone(&contents));
        Ok(Arc::new(OpenFile {
            system: self.clone(),
            contents,
        }))
    }

    fn map(&self, path: &Path) -> io::Result<Mapped> {
        let state = self.0.lock().unwrap();
        let bytes = state.get(path)?.lock().unwrap();
        Ok(Mapped::of_bytes(path, &bytes.live))
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.count()?;
        let mut contents = state.get(path)?.lock().unwrap();
        contents.durable = contents.live.clone();
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.count()?;
        let contents = Arc::clone(state.get(from)?);
        state.live.remove(from);
        state.live.insert(to.to_path_buf(), contents);
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.count()?;
        let contents = Arc::clone(state.get(from)?);
        state.live.insert(to.to_path_buf(), contents);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.count()?;
        let removed = state.live.remove(path);
        removed
            .map(drop)
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn names(&self, location: &Path) -> io::Result<Vec<String>> {
        let state = self.0.lock().unwrap();
        let inside = state
            .live
            .keys()
            .filter_map(|path| path.strip_prefix(location).ok());
        Ok(inside
            .map(|name| name.to_string_lossy().into_owned())
            .collect())
    }

    fn len(&self, path: &Path) -> io::Result<u64> {
        let state = self.0.lock().unwrap();
        let contents = state.get(path)?.lock().unwrap();
        Ok(contents.live.len() as u64)
    }

    fn sync_directory(&self, location: &Path) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.count()?;
        let inside = |path: &Path| path.parent() == Some(location);
        state.durable.retain(|path, _| !inside(path));
        let live: Vec<_> = state.live.iter().filter(|(path, _)| inside(path)).collect();
        let live: Vec<_> = live
            .into_iter()
            .map(|(path, contents)| (path.clone(), Arc::clone(contents)))
            .collect();
        state.durable.extend(live);
        Ok(())
    }
}
