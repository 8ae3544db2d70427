//! What the server's threads are told: by clients and the handle through the common queue, by the handle alone
//! through a queue of each thread's own. Not here: what they do about it.

use std::convert::Infallible;
use std::sync::Arc;

use crossbeam::channel::{Receiver, Sender};
use deepcfr_core::{NetId, Weights};

use crate::sweep::{Route, Ticket};

/// What clients and the handle tell the server, in one queue so that it is all in order.
pub(crate) enum Event {
    /// A client exists from now on.
    Joined(Arc<Route>),
    /// A client is gone.
    Left { client: u64 },
    /// A client's rows.
    Sweep(Ticket),
    /// A client, with `returned` sweeps back, sends nothing more until another comes back.
    Waiting { client: u64, returned: u64 },
    /// Everything sent so far is to be answered, and then the server ends.
    Drain,
}

/// What a thread listens to while it collects.
pub(crate) struct Inbox {
    pub(crate) events: Receiver<Event>,
    pub(crate) control: Receiver<Control>,
    pub(crate) stop: Receiver<Infallible>,
}

/// An order to one server thread.
pub(crate) enum Control {
    /// Put weights in force, then say so.
    Load { publication: Arc<Publication>, done: Sender<()> },
}

/// Weights that take effect together.
pub(crate) struct Publication {
    pub(crate) version: u64,
    pub(crate) weights: Vec<(NetId, Arc<Weights>)>,
}
