//! What runs leave on disk: folders, files that appear whole or not at all, checkpoints, metrics, and reports
//! with plots.
//!
//! Not here: what is in a checkpoint's sections, which whoever writes them knows, and anything that trains.
//!
//! ```
//! use deepcfr_runs::run_folder::RunFolder;
//!
//! let runs = std::env::temp_dir().join(format!("deepcfr-doc-{}", std::process::id()));
//! let folder = RunFolder::create(&runs, "example", std::time::SystemTime::now())?;
//! folder.write_config("[run]\nseed = 1\n")?;
//! assert_eq!(RunFolder::open(folder.path())?.read_config()?, "[run]\nseed = 1\n");
//! # std::fs::remove_dir_all(&runs)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod atomic_file;
pub mod checkpoint;
pub mod machine;
pub mod metrics;
pub mod report;
pub mod run_folder;
