//! One run at a time where two would write the same files.
//!
//! In: the path of a file that stands for them. Out: its lock, until what is returned goes. It ends with the program, however
//! that ends; the file stays.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use crate::say::{Done, Failure, at, line};

/// Waits until no other run holds the lock, and says so; nothing where the place knows no locks.
pub(crate) fn take(path: &Path) -> Done<Option<File>> {
    if let Some(folder) = path.parent() {
        at(folder, fs::create_dir_all(folder))?;
    }
    let file = at(path, File::options().create(true).append(true).open(path))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => {
            line(format!("  another run is at work (it holds {}): waiting", path.display()));
            at(path, file.lock())?;
            Ok(Some(file))
        }
        Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => Ok(None),
        Err(TryLockError::Error(error)) => Err(Failure::new(format!("{}: {error}", path.display()), "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_waits_for_the_first() {
        let path = std::env::temp_dir().join(format!("podsieve-{}/lock", std::process::id()));
        let first = take(&path).unwrap();
        let second = File::options().append(true).open(&path).unwrap();
        assert!(matches!(second.try_lock(), Err(TryLockError::WouldBlock)));
        drop(first);
        assert!(take(&path).unwrap().is_some());
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
}
