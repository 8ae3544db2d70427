//! `deepcfr profile`: measures a configuration on this machine, prints and keeps what was found.
//!
//! Not here: measuring (see `deepcfr-bench`), and what follows from it (see `deepcfr-levers`).

use std::path::{Path, PathBuf};

use deepcfr_bench::profile::{PROFILE, ProfilePlan, create_folder, measure, write_plots};
use deepcfr_config::RunConfig;
use deepcfr_levers::profile::Profile;
use deepcfr_levers::text::ProfileReport;

use super::Steps;
use crate::arguments::ProfileArguments;
use crate::context::Context;
use crate::error::CommandError;
use crate::interrupt;
use crate::output::print;

const STOPPING: &str = "stopping after this iteration, without a profile; Ctrl-C again to end at once";
const REPORT: &str = "profile.txt";

pub(crate) fn run(context: &Context, arguments: &ProfileArguments) -> Result<(), CommandError> {
    let source = &arguments.source;
    let config = context.schema().resolve(&source.base(), &source.set, source.seed)?;
    let sizes = arguments.sizes.iter().map(|size| parse_size(size)).collect::<Result<_, _>>()?;
    let plan = ProfilePlan { sizes, ..if arguments.quick { ProfilePlan::QUICK } else { ProfilePlan::FULL } };
    let place = Place::of(arguments.out.as_deref())?;
    let scratch = tempfile::tempdir()?;
    let stop = interrupt::watch(STOPPING)?;
    let profile = measure(&context.catalogue, &config, &plan, scratch.path(), &mut Steps, &stop)?;
    let report = ProfileReport::of(&profile).map_err(|error| CommandError::Advise(error.to_string()))?;
    let kept = place.keep(context, &config, &profile, &report)?;
    Ok(print(&format!("{}\n{kept}", report.text()))?)
}

/// `1024x6`: hidden size and hidden layers.
pub(super) fn parse_size(size: &str) -> Result<(usize, usize), CommandError> {
    let parsed = size
        .split_once('x')
        .and_then(|(hidden, layers)| Some((hidden.trim().parse().ok()?, layers.trim().parse().ok()?)));
    let usable = parsed.filter(|&(hidden, layers): &(usize, usize)| hidden > 0 && layers > 0);
    usable.ok_or_else(|| {
        CommandError::Advise(format!("size {size:?}: write hidden size x hidden layers, for example 1024x6"))
    })
}

/// Where a profile is kept.
enum Place {
    /// A folder beside the runs.
    Default,
    /// A file, without plots.
    File(PathBuf),
    /// A folder.
    Folder(PathBuf),
}

impl Place {
    /// Refuses what is there already, before anything is measured.
    fn of(out: Option<&Path>) -> Result<Self, CommandError> {
        let Some(path) = out else { return Ok(Self::Default) };
        let is_file = path.extension().is_some_and(|extension| extension == "json");
        let taken = if is_file { path.to_owned() } else { path.join(PROFILE) };
        if taken.exists() {
            let message = format!("--out {}: it is there already; name another", taken.display());
            return Err(CommandError::Advise(message));
        }
        Ok(if is_file { Self::File(path.to_owned()) } else { Self::Folder(path.to_owned()) })
    }

    /// Writes the profile; says where, and what to do next.
    fn keep(
        &self,
        context: &Context,
        config: &RunConfig,
        profile: &Profile,
        report: &ProfileReport,
    ) -> Result<String, CommandError> {
        let failed = |error: &dyn std::error::Error| CommandError::Advise(error.to_string());
        let folder = match self {
            Self::File(path) => {
                profile.write(path).map_err(|error| failed(&error))?;
                let path = path.display();
                return Ok(format!(
                    "profile: {path}\nnext:    {} advise --profile {path}\n",
                    context.program
                ));
            }
            Self::Folder(path) => {
                std::fs::create_dir_all(path)?;
                path.clone()
            }
            Self::Default => create_folder(config)?,
        };
        let plots = write_plots(&folder, profile, report)?;
        std::fs::write(folder.join(REPORT), report.text())?;
        let path = folder.join(PROFILE);
        profile.write(&path).map_err(|error| failed(&error))?;
        let next = match self {
            Self::Default => format!("{} advise", context.program),
            _ => format!("{} advise --profile {}", context.program, path.display()),
        };
        let plots = plots.join(", ");
        Ok(format!("profile: {}\nbeside:  {REPORT}, {plots}\nnext:    {next}\n", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_numbers() {
        assert_eq!(parse_size("1024x6").ok(), Some((1024, 6)));
        for wrong in ["1024", "x6", "0x3", "64x0", "64x3x2", "a x b"] {
            assert!(parse_size(wrong).unwrap_err().to_string().contains("for example 1024x6"), "{wrong}");
        }
    }
}
