//! The library of ONNX Runtime: finding it, loading it once, and sessions in it.
//!
//! A process has one library and one environment; both stay until it ends. Not here: which networks
//! are run (see `engine`).

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::error::Error as _;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ort::LoadDynamicError;
use ort::environment::Environment;
use ort::ep;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;

use crate::graph::smallest_model;

/// The environment variable that names the library.
pub const LIBRARY_VARIABLE: &str = "ORT_DYLIB_PATH";

/// Where ONNX Runtime computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    /// The processor, one thread a session.
    Cpu,
    /// CUDA device 0, without TF32.
    Cuda,
    /// TensorRT on CUDA device 0.
    TensorRt,
}

impl Provider {
    /// What it needs beside the library itself.
    fn needs(self) -> &'static str {
        match self {
            Self::Cpu => "nothing",
            Self::Cuda => "a GPU build of ONNX Runtime (`pip install onnxruntime-gpu`), CUDA and cuDNN",
            Self::TensorRt => {
                "a GPU build of ONNX Runtime (`pip install onnxruntime-gpu`), CUDA, cuDNN and TensorRT"
            }
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::TensorRt => "tensorrt",
        })
    }
}

/// Why ONNX Runtime cannot be used.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum RuntimeError {
    /// There is no library at the place, or it is of no use.
    #[error(
        "ONNX Runtime cannot be loaded from {}: {reason}; install it (`pip install onnxruntime`) and give \
         its library or the folder that holds it (site-packages/onnxruntime/capi) as \
         inference.onnxruntime_library or in {variable}",
        path.display(),
        variable = LIBRARY_VARIABLE
    )]
    Library {
        /// The file that was tried.
        path: PathBuf,
        /// The loader's own words.
        reason: String,
    },
    /// A folder was named that holds no library.
    #[error(
        "{} holds no ONNX Runtime library ({prefix}onnxruntime{suffix}): give the folder \
         site-packages/onnxruntime/capi of `pip install onnxruntime` as inference.onnxruntime_library or in \
         {variable}",
        folder.display(),
        prefix = DLL_PREFIX,
        suffix = DLL_SUFFIX,
        variable = LIBRARY_VARIABLE
    )]
    EmptyFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// Another library is in use already.
    #[error("ONNX Runtime is loaded from {} already, not from {}", loaded.display(), asked.display())]
    OtherLibrary {
        /// The library in use.
        loaded: PathBuf,
        /// The one asked for.
        asked: PathBuf,
    },
    /// The library cannot compute there.
    #[error(
        "inference.provider = \"{provider}\" cannot be used by {}: {reason}; it needs {}; or give \"cpu\"",
        path.display(),
        provider.needs()
    )]
    Provider {
        /// Where it should compute.
        provider: Provider,
        /// The library.
        path: PathBuf,
        /// The library's own words.
        reason: String,
    },
}

/// ONNX Runtime, loaded.
#[derive(Clone, Debug)]
pub struct Runtime {
    environment: Environment,
    path: PathBuf,
    /// Providers that are known to work.
    usable: Arc<Mutex<Vec<Provider>>>,
}

static LOADED: Mutex<Option<Runtime>> = Mutex::new(None);

impl Runtime {
    /// Loads `library` (a file, or a folder that holds one); without it the one that the environment
    /// variable [`LIBRARY_VARIABLE`] names, or else the loader's own search path has. Later calls get the
    /// same.
    ///
    /// # Errors
    /// If there is no such library, it is older than 1.17, or another is in use already.
    pub fn load(library: Option<&Path>) -> Result<Self, RuntimeError> {
        let path = locate(library)?;
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = &*loaded {
            let same = runtime.path == path;
            return if same { Ok(runtime.clone()) } else { Err(runtime.other(path)) };
        }
        let fails = |reason: String| RuntimeError::Library { path: path.clone(), reason };
        let builder = ort::environment::init_from(&path).map_err(|error| fails(loaders_words(&error)))?;
        let builder = builder.with_name("deepcfr").with_telemetry(false);
        let environment = builder.build().map_err(|error| fails(error.to_string()))?;
        Ok(loaded.insert(Self { environment, path, usable: Arc::default() }).clone())
    }

    /// The library's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn other(&self, asked: PathBuf) -> RuntimeError {
        RuntimeError::OtherLibrary { loaded: self.path.clone(), asked }
    }

    /// Checks that models can be run by `provider`.
    pub(crate) fn check(&self, provider: Provider) -> Result<(), RuntimeError> {
        let mut usable = self.usable.lock().unwrap_or_else(PoisonError::into_inner);
        if !usable.contains(&provider) {
            let path = self.path.clone();
            let fails =
                |error: ort::Error| RuntimeError::Provider { provider, path, reason: error.to_string() };
            self.session(&smallest_model(), provider).map_err(fails)?;
            usable.push(provider);
        }
        Ok(())
    }

    /// A session of `model`, which computes on the calling thread alone.
    pub(crate) fn session(&self, model: &[u8], provider: Provider) -> ort::Result<Session> {
        // Without `error_on_failure` a provider that is missing would silently be the processor.
        let place = match provider {
            // Buffers from the allocator: a session's own arena would hold memory for each network.
            Provider::Cpu => ep::CPU::default().with_arena_allocator(false).build(),
            Provider::Cuda => ep::CUDA::default().with_tf32(false).build(),
            Provider::TensorRt => ep::TensorRT::default().build(),
        };
        let mut builder = Session::builder(&self.environment)?
            .with_execution_providers([place.error_on_failure()])?
            .with_optimization_level(GraphOptimizationLevel::All)?
            .with_intra_threads(1)?
            .with_inter_threads(1)?;
        if provider != Provider::Cpu {
            builder = builder.with_disable_cpu_fallback()?;
        }
        builder.commit_from_memory(model)
    }
}

/// Why a library does not load, in the loader's own words, which the error's text leaves out.
fn loaders_words(error: &LoadDynamicError) -> String {
    match error {
        LoadDynamicError::Dlopen { error, .. } => {
            error.source().map_or_else(|| error.to_string(), ToString::to_string)
        }
        other => other.to_string(),
    }
}

fn locate(library: Option<&Path>) -> Result<PathBuf, RuntimeError> {
    let named = library.map(Path::to_owned);
    let variable = || std::env::var_os(LIBRARY_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let Some(path) = named.or_else(variable) else {
        return Ok(format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}").into());
    };
    if !path.is_dir() {
        // The loader looks for relative names elsewhere than in the working folder.
        return Ok(std::path::absolute(&path).ok().filter(|full| full.exists()).unwrap_or(path));
    }
    let folders = ["", "capi", "onnxruntime/capi"].map(|inner| path.join(inner));
    let found = folders.iter().find_map(|folder| library_in(folder));
    found.ok_or(RuntimeError::EmptyFolder { folder: path })
}

fn library_in(folder: &Path) -> Option<PathBuf> {
    let start = format!("{DLL_PREFIX}onnxruntime.");
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(&start) && name.contains(DLL_SUFFIX)
    };
    let paths = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let newest = paths.filter(is_library).max()?;
    std::path::absolute(newest).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_searched_for_the_library_itself() {
        let folder = std::env::temp_dir().join(format!("deepcfr-onnx-{}", std::process::id()));
        let capi = folder.join("capi");
        std::fs::create_dir_all(&capi).unwrap();
        let empty = RuntimeError::EmptyFolder { folder: folder.clone() };
        assert_eq!(locate(Some(&folder)), Err(empty));
        let providers = format!("{DLL_PREFIX}onnxruntime_providers_shared{DLL_SUFFIX}");
        let library = capi.join(format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}.1.32.0"));
        std::fs::write(capi.join(providers), "").unwrap();
        std::fs::write(&library, "").unwrap();
        assert_eq!(locate(Some(&folder)), Ok(library.clone()));
        assert_eq!(locate(Some(&library)), Ok(library));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_missing_library_is_named_with_the_remedy() {
        let error = Runtime::load(Some(Path::new("no/such/library.so"))).unwrap_err();
        let text = error.to_string();
        let remedies = ["pip install onnxruntime", "inference.onnxruntime_library", LIBRARY_VARIABLE];
        for part in remedies.into_iter().chain(["no/such/library.so"]) {
            assert!(text.contains(part), "{text}");
        }
    }
}
