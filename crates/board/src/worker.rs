//! What answers a worker's rows: its own model, the client of a batching server, or nothing.
//!
//! Not here: opening models and servers.

use deepcfr_cfr::matches::NoNetworks;
use deepcfr_cfr::traversal::evaluators::LocalEvaluator;
use deepcfr_core::{Evaluator, EvaluatorError, NetId, Query};
use deepcfr_serve::Client;

/// One worker's access to the networks.
pub enum Worker {
    /// A model on the worker's own thread.
    Local(Box<LocalEvaluator>),
    /// A connection to the batching server.
    Client(Box<Client>),
    /// Nothing: for games of players that ask no network.
    None,
}

impl Evaluator for Worker {
    #[inline]
    fn submit<Q: Query>(&mut self, lane: usize, net: NetId, query: &Q) -> Result<(), EvaluatorError> {
        match self {
            Self::Local(local) => local.submit(lane, net, query),
            Self::Client(client) => client.submit(lane, net, query),
            Self::None => NoNetworks.submit(lane, net, query),
        }
    }

    fn flush(&mut self) -> Result<(), EvaluatorError> {
        match self {
            Self::Local(local) => local.flush(),
            Self::Client(client) => client.flush(),
            Self::None => NoNetworks.flush(),
        }
    }

    fn wait(&mut self) -> Result<(), EvaluatorError> {
        match self {
            Self::Local(local) => local.wait(),
            Self::Client(client) => client.wait(),
            Self::None => NoNetworks.wait(),
        }
    }

    fn rest(&mut self) -> Result<(), EvaluatorError> {
        match self {
            Self::Local(local) => local.rest(),
            Self::Client(client) => client.rest(),
            Self::None => NoNetworks.rest(),
        }
    }

    #[inline]
    fn next_ready(&mut self) -> Option<usize> {
        match self {
            Self::Local(local) => local.next_ready(),
            Self::Client(client) => client.next_ready(),
            Self::None => NoNetworks.next_ready(),
        }
    }

    #[inline]
    fn output(&self, lane: usize) -> &[f32] {
        match self {
            Self::Local(local) => local.output(lane),
            Self::Client(client) => client.output(lane),
            Self::None => &[],
        }
    }
}
