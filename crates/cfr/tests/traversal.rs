//! The sampled traversals against the recursive oracle, exact values and closed forms.

#[path = "traversal/budgets.rs"]
mod budgets;
#[path = "traversal/closed_form.rs"]
mod closed_form;
#[path = "traversal/equivalence.rs"]
mod equivalence;
#[path = "traversal/evaluators.rs"]
mod evaluators;
#[path = "traversal/failures.rs"]
mod failures;
#[path = "traversal/hand_tree.rs"]
mod hand_tree;
#[path = "traversal/model.rs"]
mod model;
#[path = "traversal/unbiased.rs"]
mod unbiased;
