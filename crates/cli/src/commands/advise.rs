//! `deepcfr advise`: what a measured profile says about each optimisation.
//!
//! Not here: measuring, and the calculus (see `deepcfr-levers`).

use deepcfr_levers::advise::{Advisory, Question};
use deepcfr_levers::model::WhatIf;
use deepcfr_levers::profile::Profile;
use deepcfr_levers::text;

use crate::arguments::AdviseArguments;
use crate::error::CommandError;
use crate::output::print;

pub(crate) fn run(arguments: &AdviseArguments) -> Result<(), CommandError> {
    let refused = |error: &dyn std::error::Error| CommandError::Advise(error.to_string());
    let what_if = arguments.what_if.as_deref().map(WhatIf::parse).transpose();
    let what_if = what_if.map_err(|error| refused(&error))?;
    let profile = Profile::read(&arguments.profile).map_err(|error| refused(&error))?;
    let report = text::ProfileReport::of(&profile).map_err(|error| refused(&error))?.text();
    let question = Question { what_if: what_if.as_ref(), ..Question::default() };
    let advisory = Advisory::of(&profile, &question).map_err(|error| refused(&error))?;
    Ok(print(&format!("{report}\n{}\n", text::advisory(&advisory)))?)
}
