//! In which order levers are decided, and why.
//!
//! Infrastructure first: it makes every later experiment cheaper, whatever the model. Then the model's
//! size, because it decides what calls cost. Then what depends on those costs. Within a stage, levers
//! that others wait for come before these, and of free ones the larger projected gain comes first.
//! Not here: how a graph is drawn (`text`).

use std::collections::BTreeSet;

use serde::Serialize;

use crate::catalogue::{CATALOGUE, LeverId};

/// "`from` is to be decided before `to`".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Edge {
    /// The earlier lever.
    pub from: LeverId,
    /// The later lever.
    pub to: LeverId,
}

/// Dependencies that form a circle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("levers wait for each other: {}", names(levers))]
pub struct CycleError {
    /// The levers that can never be decided.
    pub levers: Vec<LeverId>,
}

fn names(levers: &[LeverId]) -> String {
    levers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The dependencies among `levers`.
pub fn edges(levers: &[LeverId]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = levers
        .iter()
        .flat_map(|&to| to.lever().after.iter().map(move |&from| Edge { from, to }))
        .filter(|edge| levers.contains(&edge.from))
        .collect();
    edges.sort_unstable();
    edges
}

/// `levers` in the order of decision; `gain` is a lever's projected speed-up, 1 where unknown.
///
/// # Errors
/// [`CycleError`] if the dependencies form a circle.
pub fn order(levers: &[LeverId], gain: impl Fn(LeverId) -> f64) -> Result<Vec<LeverId>, CycleError> {
    let edges = edges(levers);
    let mut open: BTreeSet<LeverId> = levers.iter().copied().collect();
    let mut ordered = Vec::with_capacity(open.len());
    while !open.is_empty() {
        let waits = |to: LeverId| edges.iter().any(|edge| edge.to == to && open.contains(&edge.from));
        let free = open.iter().copied().filter(|&lever| !waits(lever));
        let key = |lever: LeverId| (lever.lever().stage, -gain(lever));
        let next = free.min_by(|&x, &y| {
            let ((stage_x, gain_x), (stage_y, gain_y)) = (key(x), key(y));
            stage_x.cmp(&stage_y).then(gain_x.total_cmp(&gain_y))
        });
        let Some(next) = next else { return Err(CycleError { levers: open.into_iter().collect() }) };
        open.remove(&next);
        ordered.push(next);
    }
    Ok(ordered)
}

/// Every lever of the catalogue.
pub fn all() -> Vec<LeverId> {
    CATALOGUE.iter().map(|lever| lever.id).collect()
}

/// How many levers stand before each on the longest path to it: the column of a drawing.
///
/// # Errors
/// [`CycleError`] if the dependencies form a circle.
pub fn depths(levers: &[LeverId]) -> Result<Vec<(LeverId, usize)>, CycleError> {
    let edges = edges(levers);
    let mut depths: Vec<(LeverId, usize)> = Vec::new();
    for lever in order(levers, |_| 1.0)? {
        let before = edges.iter().filter(|edge| edge.to == lever).map(|edge| {
            depths.iter().find(|(earlier, _)| *earlier == edge.from).map_or(0, |(_, depth)| depth + 1)
        });
        let depth = before.max().unwrap_or(0);
        depths.push((lever, depth));
    }
    Ok(depths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Stage;

    fn place(order: &[LeverId], lever: LeverId) -> usize {
        order.iter().position(|&other| other == lever).unwrap()
    }

    #[test]
    fn every_lever_comes_after_what_it_waits_for() {
        let order = order(&all(), |_| 1.0).unwrap();
        assert_eq!(order.len(), CATALOGUE.len());
        for Edge { from, to } in edges(&all()) {
            assert!(place(&order, from) < place(&order, to), "{from} before {to}");
        }
    }

    #[test]
    fn infrastructure_then_the_model_size_then_what_depends_on_it() {
        let order = order(&all(), |_| 1.0).unwrap();
        let stages: Vec<Stage> = order.iter().map(|lever| lever.lever().stage).collect();
        assert!(stages.is_sorted(), "{order:?}");
        let size = place(&order, LeverId::ModelSize);
        for later in [LeverId::MixedPrecision, LeverId::SpecialisedEngine] {
            assert!(size < place(&order, later));
        }
        assert!(place(&order, LeverId::Interleaving) < place(&order, LeverId::Server));
        assert!(place(&order, LeverId::Interleaving) < place(&order, LeverId::ServerAfterInterleaving));
    }

    #[test]
    fn of_free_levers_the_larger_gain_comes_first() {
        let gain = |lever| if lever == LeverId::Workers { 1.8 } else { 1.0 };
        assert_eq!(order(&all(), gain).unwrap()[0], LeverId::Workers);
        let few = [LeverId::Server, LeverId::Interleaving];
        assert_eq!(order(&few, |_| 1.0).unwrap(), [LeverId::Interleaving, LeverId::Server]);
    }

    #[test]
    fn depths_grow_along_edges() {
        let depths = depths(&all()).unwrap();
        let depth = |lever| depths.iter().find(|(other, _)| *other == lever).unwrap().1;
        for Edge { from, to } in edges(&all()) {
            assert!(depth(from) < depth(to));
        }
        assert_eq!(depth(LeverId::Interleaving), 0);
    }
}
