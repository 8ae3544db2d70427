//! The sampled traversals against the recursive oracle, exact values and closed forms.

#[path = "traversal/equivalence.rs"]
mod equivalence;
#[path = "traversal/model.rs"]
mod model;
