//! Saving.

use super::FileError;
use image::{ImageFormat, RgbImage};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What becomes of a file that exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is written.
    Keep,
    /// The new one takes its place.
    Replace,
}

/// A file that appears under its name when it is complete. If it is dropped before, nothing has changed.
#[derive(Debug)]
pub struct WholeFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
    existing: Existing,
}

impl WholeFile {
    /// Begins one, in the same folder.
    ///
    /// # Errors
    /// When there is such a file and it is to be kept, the name is that of a link or a device, or the folder takes no file.
    pub fn create(path: &Path, existing: Existing) -> Result<Self, FileError> {
        let failed = |source| FileError::Write { path: path.into(), source };
        let old = look(path, existing)?;
        let mut prefix = OsString::from(".");
        prefix.push(path.file_name().unwrap_or_default());
        prefix.push(".");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".new");
        #[cfg(unix)]
        {
            // As the user's umask says, or as the file was.
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
            builder.permissions(mode);
        }
        // A folder that is not there is told without the name that the file has until it is whole.
        fs::metadata(folder(path)).map_err(failed)?;
        let file = builder.tempfile_in(folder(path)).map_err(failed)?;
        if let Some(old) = old {
            file.as_file().set_permissions(old.permissions()).map_err(failed)?;
        }
        Ok(Self { file: BufWriter::new(file), path: path.into(), existing })
    }

    /// Brings it to the disk and gives it its name.
    ///
    /// # Errors
    /// When the disk is full or gone, or such a file was made meanwhile.
    pub fn finish(self) -> Result<(), FileError> {
        let Self { file, path, existing } = self;
        let failed = |source| FileError::Write { path: path.clone(), source };
        let file = file.into_inner().map_err(|e| failed(e.into_error()))?;
        file.as_file().sync_all().map_err(failed)?;
        let named = match existing {
            // A link that was put here meanwhile is replaced itself, not what it points to.
            Existing::Replace => file.persist(&path),
            Existing::Keep => file.persist_noclobber(&path),
        };
        named.map_err(|e| match e.error.kind() {
            ErrorKind::AlreadyExists => FileError::Exists { path: path.clone() },
            _ => failed(e.error),
        })?;
        sync_folder(&path).map_err(failed)
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes a file whole or not at all.
///
/// # Errors
/// As [`WholeFile`].
pub fn save(path: &Path, bytes: &[u8], existing: Existing) -> Result<(), FileError> {
    let mut file = WholeFile::create(path, existing)?;
    file.write_all(bytes).map_err(|source| FileError::Write { path: path.into(), source })?;
    file.finish()
}

/// Writes a picture as a PNG, whole or not at all.
///
/// # Errors
/// As [`WholeFile`].
pub fn save_picture(path: &Path, picture: &RgbImage, existing: Existing) -> Result<(), FileError> {
    let mut bytes = Vec::new();
    let encoded = picture.write_to(&mut io::Cursor::new(&mut bytes), ImageFormat::Png);
    encoded.map_err(|e| FileError::Write { path: path.into(), source: io::Error::other(e) })?;
    save(path, &bytes, existing)
}

/// Writes a file whole or not at all; the one that it replaces stays beside it as `NAME~`.
///
/// # Errors
/// As [`WholeFile`]; then both files are as before, or the old one is there twice.
pub fn save_and_keep_old(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    if look(path, Existing::Replace)?.is_some() {
        let old = fs::read(path).map_err(|source| FileError::Read { path: path.into(), source })?;
        if old == bytes {
            return Ok(());
        }
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push("~");
        save(&path.with_file_name(name), &old, Existing::Replace)?;
    }
    save(path, bytes, Existing::Replace)
}

/// Whether a file of this name can be written, asked before the work that it costs.
///
/// # Errors
/// As [`WholeFile::create`].
pub fn check(path: &Path, existing: Existing) -> Result<(), FileError> {
    WholeFile::create(path, existing).map(drop)
}

/// A new file for what is written bit by bit and must be there even if it breaks off: recordings, videos.
///
/// # Errors
/// When there is such a file and it is to be kept, or it cannot be made.
pub fn create_stream(path: &Path, existing: Existing) -> Result<File, FileError> {
    let failed = |source| FileError::Write { path: path.into(), source };
    if look(path, existing)?.is_some() {
        fs::remove_file(path).map_err(failed)?;
    }
    // Exclusively: whatever was put here meanwhile, a link too, is refused.
    OpenOptions::new().write(true).create_new(true).open(path).map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => FileError::Exists { path: path.into() },
        _ => failed(source),
    })
}

/// Adds to a file's end in one write (several programs may do so at once) and brings it to the disk; its folder is made if
/// need be. A file of more than `bytes_max` is renamed to `NAME.old` first.
///
/// # Errors
/// When it is a link or a device, or the disk is full or gone.
pub fn append(path: &Path, bytes: &[u8], bytes_max: u64) -> Result<(), FileError> {
    let failed = |source| FileError::Write { path: path.into(), source };
    fs::create_dir_all(folder(path)).map_err(failed)?;
    if look(path, Existing::Replace)?.is_some_and(|old| old.len() > bytes_max) {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".old");
        fs::rename(path, path.with_file_name(name)).map_err(failed)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        // A link that was put here meanwhile is refused.
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, nix::fcntl::OFlag::O_NOFOLLOW.bits());
    }
    let mut file = options.open(path).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)
}

/// A new folder, with those that it lies in.
///
/// # Errors
/// When there is something of this name, or it cannot be made.
pub fn create_folder(path: &Path) -> Result<(), FileError> {
    let failed = |source| FileError::Write { path: path.into(), source };
    fs::create_dir_all(folder(path)).map_err(failed)?;
    fs::create_dir(path).map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => FileError::Exists { path: path.into() },
        _ => failed(source),
    })
}

/// What is there already, if it may be replaced.
fn look(path: &Path, existing: Existing) -> Result<Option<fs::Metadata>, FileError> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(FileError::Write { path: path.into(), source }),
    };
    match existing {
        _ if found.is_symlink() => Err(FileError::Link { path: path.into() }),
        _ if !found.is_file() => Err(FileError::Special { path: path.into() }),
        Existing::Keep => Err(FileError::Exists { path: path.into() }),
        Existing::Replace => Ok(Some(found)),
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new name is on the disk only when its folder is.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    match File::open(folder(path))?.sync_all() {
        // Some network file systems cannot.
        Err(e) if matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_that_exists_is_overwritten_unless_that_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        save(&path, b"one", Existing::Keep).unwrap();
        let error = save(&path, b"two", Existing::Keep).unwrap_err().to_string();
        assert!(error.contains("add --force"), "{error}");
        assert!(matches!(create_stream(&path, Existing::Keep), Err(FileError::Exists { .. })));
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"one".to_vec(), vec!["report.html".into()]));
        save(&path, b"two", Existing::Replace).unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"two".to_vec(), vec!["report.html".into()]));
        create_stream(&path, Existing::Replace).unwrap().write_all(b"three").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"three");
        assert!(matches!(save(folder.path(), b"x", Existing::Replace), Err(FileError::Special { .. })));
    }

    #[test]
    fn a_file_that_was_made_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("movie.fm2");
        let mut file = WholeFile::create(&path, Existing::Keep).unwrap();
        file.write_all(b"mine").unwrap();
        fs::write(&path, "theirs").unwrap();
        assert!(matches!(file.finish(), Err(FileError::Exists { .. })));
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"theirs".to_vec(), vec!["movie.fm2".into()]));
    }

    #[test]
    fn what_is_given_up_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rig.toml");
        save(&path, b"old", Existing::Keep).unwrap();
        let mut file = WholeFile::create(&path, Existing::Replace).unwrap();
        file.write_all(b"half of the new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old", "the old one stays until the new one is complete");
        drop(file);
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"old".to_vec(), vec!["rig.toml".into()]));
        assert!(check(&folder.path().join("no/such/folder"), Existing::Keep).is_err());
    }

    #[test]
    fn the_file_before_is_kept_beside_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rig.toml");
        for text in ["one", "two", "two", "three"] {
            save_and_keep_old(&path, text.as_bytes()).unwrap();
        }
        assert_eq!(names(folder.path()), ["rig.toml", "rig.toml~"]);
        assert_eq!(fs::read(&path).unwrap(), b"three");
        assert_eq!(fs::read(folder.path().join("rig.toml~")).unwrap(), b"two");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let (victim, link) = (folder.path().join("victim"), folder.path().join("rig.toml"));
        fs::write(&victim, "mine").unwrap();
        // Names that earlier versions, or a guesser, would have written through.
        for planted in ["rig.toml.new", ".rig.toml.new", "rig.toml~"] {
            symlink(&victim, folder.path().join(planted)).unwrap();
        }
        save_and_keep_old(&link, b"new").unwrap();
        assert_eq!(fs::read(&link).unwrap(), b"new");
        let error = save_and_keep_old(&link, b"newer").unwrap_err().to_string();
        assert!(error.contains("rig.toml~ is a symbolic link") && error.contains("remove the link"), "{error}");
        fs::remove_file(&link).unwrap();
        for target in [&victim, Path::new("/there/is/no/such/file")] {
            symlink(target, &link).unwrap();
            for existing in [Existing::Keep, Existing::Replace] {
                assert!(matches!(save(&link, b"x", existing), Err(FileError::Link { .. })));
                assert!(matches!(create_stream(&link, existing), Err(FileError::Link { .. })));
            }
            fs::remove_file(&link).unwrap();
        }
        // Put there between the look and the rename: the link is replaced, not what it points to.
        let file = WholeFile::create(&link, Existing::Replace).unwrap();
        symlink(&victim, &link).unwrap();
        file.finish().unwrap();
        assert!(!fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&victim).unwrap(), b"mine");
    }

    #[test]
    fn lines_are_added_until_the_file_is_long() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/log.jsonl");
        for line in ["one\n", "two\n", "three\n"] {
            append(&path, line.as_bytes(), 6).unwrap();
        }
        assert_eq!(fs::read(&path).unwrap(), b"three\n");
        assert_eq!(fs::read(path.with_file_name("log.jsonl.old")).unwrap(), b"one\ntwo\n");
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            assert!(matches!(append(&link, b"x", 6), Err(FileError::Link { .. })));
            assert_eq!(fs::read(&path).unwrap(), b"three\n");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rig.toml");
        save(&path, b"one", Existing::Keep).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        save(&path, b"two", Existing::Replace).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
