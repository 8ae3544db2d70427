//! Labels and lists of labels, each stored once however often a file repeats it.
//!
//! Not here: what a label names.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Numbers equal values alike.
#[derive(Debug)]
pub(crate) struct Interner<T: ?Sized> {
    index: HashMap<Arc<T>, u32>,
    items: Vec<Arc<T>>,
}

impl<T: ?Sized + Eq + Hash> Interner<T>
where
    for<'a> Arc<T>: From<&'a T>,
{
    pub(crate) fn new() -> Self {
        Self { index: HashMap::new(), items: Vec::new() }
    }

    pub(crate) fn intern(&mut self, item: &T) -> u32 {
        if let Some(&number) = self.index.get(item) {
            return number;
        }
        // One for each distinct item of a text that is read in one piece: far fewer than 2³².
        let number = self.items.len() as u32;
        let shared: Arc<T> = item.into();
        self.index.insert(Arc::clone(&shared), number);
        self.items.push(shared);
        number
    }

    pub(crate) fn into_items(self) -> Vec<Arc<T>> {
        self.items
    }
}

/// All labels of a game, and the lists of actions made of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Labels {
    pub(crate) texts: Vec<Arc<str>>,
    pub(crate) lists: Vec<Arc<[u32]>>,
}

impl Labels {
    pub(crate) fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }

    /// The label at a position of a list; blank where there is none.
    pub(crate) fn action(&self, list: u32, position: usize) -> &str {
        self.lists[list as usize].get(position).map_or("", |&text| self.text(text))
    }
}
