//! Tests of the container and of the folder: round trips, every kind of damage, what is kept.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::*;

fn header(iteration: u32) -> CheckpointHeader {
    CheckpointHeader {
        crate_version: "0.1.0".to_owned(),
        game: "leduc ranks=3".to_owned(),
        config_hash: "9f2c".to_owned(),
        iteration,
        config: "[run]\nseed = 7\n".to_owned(),
    }
}

fn memory_bytes() -> Vec<u8> {
    (0..120u32).flat_map(|value| value.wrapping_mul(2_654_435_761).to_le_bytes()).collect()
}

fn write_sample(path: &Path, iteration: u32) {
    let mut writer = CheckpointWriter::create(path, &header(iteration)).unwrap();
    fill_sample(&mut writer).unwrap();
    writer.finish().unwrap();
}

fn fill_sample(writer: &mut CheckpointWriter) -> Result<(), CheckpointError> {
    // Many small writes, as a memory of rows makes them.
    writer.section("memory/advantage-0", |out| {
        memory_bytes().chunks(12).try_for_each(|chunk| out.write_all(chunk))
    })?;
    writer.section("empty", |_| Ok(()))?;
    writer.section("counters", |out| out.write_all(&123u64.to_le_bytes()))
}

/// Everything that a resume reads.
fn read_all(path: &Path) -> Result<Vec<Vec<u8>>, CheckpointError> {
    let mut reader = CheckpointReader::open(path)?;
    ["memory/advantage-0", "empty", "counters"].map(|name| reader.section_bytes(name)).into_iter().collect()
}

fn store_with(folder: &Path, keep: Keep, iterations: &[u32]) -> CheckpointStore {
    let store = CheckpointStore::open(folder, keep).unwrap();
    for &iteration in iterations {
        store.write(&header(iteration), fill_sample).unwrap();
    }
    store
}

#[test]
fn a_checkpoint_gives_back_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("iteration-000123.ckpt");
    write_sample(&path, 123);
    let mut reader = CheckpointReader::open(&path).unwrap();
    assert_eq!(reader.header(), &header(123));
    let sections: Vec<_> = reader.sections().map(|(name, len)| (name.to_owned(), len)).collect();
    assert_eq!(
        sections[1..],
        [("memory/advantage-0".to_owned(), 480), ("empty".to_owned(), 0), ("counters".to_owned(), 8)]
    );
    // Sections can be read in any order, also exactly by length and never to the end.
    assert_eq!(reader.section_bytes("counters").unwrap(), 123u64.to_le_bytes());
    let mut section = reader.section("memory/advantage-0").unwrap();
    let mut bytes = vec![0; section.remaining() as usize];
    section.read_exact(&mut bytes).unwrap();
    assert_eq!(bytes, memory_bytes());
    reader.verify().unwrap();
    assert!(matches!(
        reader.section("replay").unwrap_err(),
        CheckpointError::MissingSection { section, .. } if section == "replay"
    ));
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole");
    write_sample(&path, 1);
    let whole = fs::read(&path).unwrap();
    let cut_path = folder.path().join("cut");
    for len in 0..whole.len() {
        fs::write(&cut_path, &whole[..len]).unwrap();
        let error = CheckpointReader::open(&cut_path).unwrap_err();
        match len {
            0 => assert!(matches!(error, CheckpointError::Foreign { .. }), "{len}: {error}"),
            _ => assert!(matches!(error, CheckpointError::Truncated { .. }), "{len}: {error}"),
        }
    }
}

#[test]
fn every_flipped_byte_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole");
    write_sample(&path, 1);
    let whole = fs::read(&path).unwrap();
    let flipped_path = folder.path().join("flipped");
    for (position, mask) in (0..whole.len()).flat_map(|position| [(position, 0x01), (position, 0x80)]) {
        let mut flipped = whole.clone();
        flipped[position] ^= mask;
        fs::write(&flipped_path, &flipped).unwrap();
        assert!(read_all(&flipped_path).is_err(), "byte {position} mask {mask}");
    }
    assert_eq!(read_all(&path).unwrap()[0], memory_bytes());
}

#[test]
fn damage_names_the_section_and_foreign_files_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("iteration-000001.ckpt");
    write_sample(&path, 1);
    let whole = fs::read(&path).unwrap();
    let memory = whole.windows(8).position(|window| window == &memory_bytes()[..8]).unwrap();
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        read_all(&path).unwrap_err()
    };
    let damaged = refused(&|bytes| bytes[memory + 40] ^= 4);
    assert!(matches!(&damaged, CheckpointError::Checksum { section, .. } if section == "memory/advantage-0"));
    assert!(damaged.to_string().contains("iteration-000001.ckpt"), "{damaged}");
    let foreign = refused(&|bytes| bytes[..4].copy_from_slice(b"PK\x03\x04"));
    assert!(matches!(foreign, CheckpointError::Foreign { .. }), "{foreign}");
    let newer = refused(&|bytes| bytes[8] = 3);
    assert!(matches!(newer, CheckpointError::NewerVersion { got: 3, supported: 2, .. }), "{newer}");
    let longer = refused(&|bytes| bytes.push(0));
    assert!(matches!(longer, CheckpointError::Truncated { .. }), "{longer}");
}

/// The container of version 1 differs by its number alone, which the directory's checksum covers.
#[test]
fn files_of_version_1_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("iteration-000001.ckpt");
    write_sample(&path, 1);
    let mut bytes = fs::read(&path).unwrap();
    bytes[8] = 1;
    fs::write(&path, &bytes).unwrap();
    let damaged = read_all(&path).unwrap_err();
    assert!(matches!(&damaged, CheckpointError::Checksum { section, .. } if section == "directory"));
    let foot = bytes.len() - FOOT_LEN as usize;
    let directory = u64::from_le_bytes(bytes[foot..foot + 8].try_into().unwrap()) as usize;
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&head(1)), &bytes[directory..foot]);
    bytes[foot + 12..foot + 16].copy_from_slice(&checksum.to_le_bytes());
    fs::write(&path, &bytes).unwrap();
    assert_eq!(read_all(&path).unwrap()[0], memory_bytes());
}

#[test]
fn another_game_or_configuration_is_refused() {
    let path = PathBuf::from("iteration-000001.ckpt");
    header(1).check(&path, "leduc ranks=3", "9f2c").unwrap();
    let game = header(1).check(&path, "leduc ranks=13", "9f2c").unwrap_err();
    assert!(matches!(game, CheckpointError::OtherGame { .. }) && game.to_string().contains("ranks=13"));
    let config = header(1).check(&path, "leduc ranks=3", "77aa").unwrap_err();
    assert!(matches!(config, CheckpointError::OtherConfig { .. }), "{config}");
}

#[test]
fn the_newest_and_every_nth_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), Keep { every: 4 }, &[2, 4, 6, 8, 10]);
    assert_eq!(store.iterations().unwrap(), [4, 8, 10]);
    assert_eq!(store.open_latest().unwrap().header().iteration, 10);
    let only_newest = tempfile::tempdir().unwrap();
    let store = store_with(only_newest.path(), Keep { every: 0 }, &[2, 4, 6]);
    assert_eq!(store.iterations().unwrap(), [6]);
}

#[test]
fn a_damaged_newest_is_refused_and_the_one_before_it_offered() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), Keep { every: 1 }, &[1, 2, 3]);
    for iteration in [2, 3] {
        let bytes = fs::read(store.path_of(iteration)).unwrap();
        fs::write(store.path_of(iteration), &bytes[..bytes.len() / 2]).unwrap();
    }
    let error = store.open_latest().unwrap_err();
    let CheckpointError::PreviousIntact { refused, previous } = &error else { panic!("{error}") };
    assert!(matches!(**refused, CheckpointError::Truncated { .. }));
    assert_eq!(previous, &store.path_of(1));
    let text = error.to_string();
    assert!(text.contains("iteration-000003.ckpt") && text.contains("iteration-000001.ckpt"), "{text}");
    assert_eq!(store.open_latest_intact().unwrap().header().iteration, 1);
    store.set_aside_after(1).unwrap();
    assert_eq!(store.open_latest().unwrap().header().iteration, 1);
}

#[test]
fn an_empty_folder_and_a_failing_fill_are_errors_that_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = CheckpointStore::open(folder.path(), Keep { every: 1 }).unwrap();
    assert!(matches!(store.open_latest().unwrap_err(), CheckpointError::NoCheckpoint { .. }));
    let full = store.write(&header(1), |writer| {
        writer.section("memory", |_| Err(std::io::Error::from(std::io::ErrorKind::StorageFull)))
    });
    assert!(matches!(full.unwrap_err(), CheckpointError::Io { .. }));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_a_killed_process_left_is_neither_read_nor_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), Keep { every: 1 }, &[1]);
    let litter = folder.path().join("iteration-000002.ckpt.partial");
    fs::write(&litter, b"DCFRCKPT").unwrap();
    assert_eq!(store.open_latest().unwrap().header().iteration, 1);
    store.write(&header(3), fill_sample).unwrap();
    assert!(!litter.exists());
    assert_eq!(store.iterations().unwrap(), [1, 3]);
}
