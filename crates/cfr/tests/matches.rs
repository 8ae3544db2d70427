//! Head-to-head matches against exact values, reference results and each other.

#[path = "matches/exact.rs"]
mod exact;
#[path = "matches/lost_cities.rs"]
mod lost_cities;
#[path = "matches/scheduling.rs"]
mod scheduling;
#[path = "matches/stand_ins.rs"]
mod stand_ins;
#[path = "matches/stopping.rs"]
mod stopping;
