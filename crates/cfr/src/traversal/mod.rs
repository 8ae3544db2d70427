//! Sampled traversals for Deep CFR.
