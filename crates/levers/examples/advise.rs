//! Reads a measured profile and prints what follows from it: where the time goes, then which levers to
//! pull. `cargo run --release -p deepcfr-levers --example advise -- PROFILE.json [WHAT_IF]`, where
//! WHAT_IF is like `network.hidden_size=1024,evaluation.every=5`. Not for: measuring.

use std::error::Error;
use std::path::Path;

use deepcfr_levers::advise::{Advisory, Question};
use deepcfr_levers::model::WhatIf;
use deepcfr_levers::profile::Profile;
use deepcfr_levers::text;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("which profile?")?;
    let what_if = arguments.next().map(|text| WhatIf::parse(&text)).transpose()?;
    let profile = Profile::read(Path::new(&path))?;
    println!("{}", text::ProfileReport::of(&profile)?.text());
    let question = Question { what_if: what_if.as_ref(), ..Question::default() };
    println!("{}", text::advisory(&Advisory::of(&profile, &question)?));
    Ok(())
}
