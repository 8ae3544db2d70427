//! `deepcfr advise`: what a measured profile says about each optimisation, and trying one.
//!
//! Not here: measuring and trying (see `deepcfr-bench`), and the calculus (see `deepcfr-levers`).

use std::path::{Path, PathBuf};

use deepcfr_bench::profile::{LEDGER, PROFILE, TrialPlan, newest_profile, try_lever};
use deepcfr_levers::advise::{Advisory, Question};
use deepcfr_levers::catalogue::{CATALOGUE, LeverId};
use deepcfr_levers::ledger::Ledger;
use deepcfr_levers::model::WhatIf;
use deepcfr_levers::profile::Profile;
use deepcfr_levers::text;

use super::{Steps, default_folder};
use crate::arguments::AdviseArguments;
use crate::context::Context;
use crate::error::CommandError;
use crate::interrupt;
use crate::output::print;

const STOPPING: &str = "stopping after this iteration, with nothing observed; Ctrl-C again to end at once";

pub(crate) fn run(context: &Context, arguments: &AdviseArguments) -> Result<(), CommandError> {
    let what_if = arguments.what_if.as_deref().map(WhatIf::parse).transpose();
    let what_if = what_if.map_err(|error| refused(&error))?;
    let lever = arguments.verify.as_deref().map(parse_lever).transpose()?;
    let path = match &arguments.profile {
        Some(path) => path.clone(),
        None => newest_profile(&default_folder(context)?)?,
    };
    let profile = Profile::read(&path).map_err(|error| refused(&error))?;
    let ledger = match &arguments.ledger {
        Some(path) => path.clone(),
        None => default_folder(context)?.join(LEDGER),
    };
    match lever {
        Some(lever) => verify(context, arguments, lever, &profile, &path, ledger),
        None => advise(context, arguments, &profile, &path, what_if.as_ref(), &ledger),
    }
}

fn advise(
    context: &Context,
    arguments: &AdviseArguments,
    profile: &Profile,
    path: &Path,
    what_if: Option<&WhatIf>,
    ledger: &Path,
) -> Result<(), CommandError> {
    let ledger = Ledger::open(ledger).map_err(|error| refused(&error))?;
    let report = text::ProfileReport::of(profile).map_err(|error| refused(&error))?.text();
    let question = Question { what_if, ledger: Some(&ledger), ..Question::default() };
    let advisory = Advisory::of(profile, &question).map_err(|error| refused(&error))?;
    let advice = text::advisory(&advisory);
    let next = text::next_steps(&advisory, &this_command(context, arguments));
    Ok(print(&format!("From {}\n\n{report}\n{advice}\n{next}", path.display()))?)
}

/// How the command was called, for the ones that are suggested.
fn this_command(context: &Context, arguments: &AdviseArguments) -> String {
    let option = |name: &str, path: &Option<PathBuf>| {
        path.as_ref().map_or_else(String::new, |path| format!(" --{name} {}", path.display()))
    };
    let (profile, ledger) = (option("profile", &arguments.profile), option("ledger", &arguments.ledger));
    format!("{} advise{profile}{ledger}", context.program)
}

fn verify(
    context: &Context,
    arguments: &AdviseArguments,
    lever: LeverId,
    profile: &Profile,
    path: &Path,
    ledger: PathBuf,
) -> Result<(), CommandError> {
    let mut ledgers = vec![ledger];
    if path.file_name().is_some_and(|name| name == PROFILE) {
        let own = path.with_file_name(LEDGER);
        ledgers.extend((own != ledgers[0]).then_some(own));
    }
    let plan = TrialPlan { lever, turns: arguments.turns, iterations: arguments.iterations, ledgers };
    let stop = interrupt::watch(STOPPING)?;
    let trial = try_lever(&context.catalogue, profile, &plan, &mut Steps, &stop)?;
    let (projection, observed) = (&trial.projection, &trial.observed);
    let covered = if trial.covered { "what was observed lies in it" } else { "what was observed does not" };
    Ok(print(&format!(
        "{} ({}), on {}\n\
         sets:      {}\n\
         projected: {}, 90 % interval{}; {covered}\n\
         observed:  {}, 90 % interval over {} pairs of turns, {} iterations a side\n\
         learning:  {}\n\
         ledger:    {}\n",
        lever.lever().title,
        lever,
        profile.workload.game,
        trial.settings.join(", "),
        text::ratio(&projection.calibrated),
        if projection.scale == 1.0 {
            String::new()
        } else {
            format!(" stretched by {:.2}", projection.scale)
        },
        text::ratio(&observed.speed_up),
        observed.turns,
        observed.iterations,
        trial.drift,
        plan.ledgers.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
    ))?)
}

fn parse_lever(name: &str) -> Result<LeverId, CommandError> {
    LeverId::parse(name).ok_or_else(|| {
        let names: Vec<String> = CATALOGUE.iter().map(|lever| lever.id.to_string()).collect();
        CommandError::Advise(format!("--verify {name}: no such lever; there are {}", names.join(", ")))
    })
}

fn refused(error: &dyn std::error::Error) -> CommandError {
    CommandError::Advise(error.to_string())
}
