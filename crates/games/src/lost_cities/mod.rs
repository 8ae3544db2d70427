//! Lost Cities: rules, encoders and bots.
