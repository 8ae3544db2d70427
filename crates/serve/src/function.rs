//! A plain function as a model, so that the server can be used and tested without networks.

use std::sync::Arc;

use deepcfr_core::{Model, ModelError, ModelFactory, ModelSpec, NetId, Weights};

/// Serves a function of one row. Weights are accepted and ignored.
pub struct FunctionModel<F> {
    spec: ModelSpec,
    function: Arc<F>,
}

impl<F> Clone for FunctionModel<F> {
    fn clone(&self) -> Self {
        Self { spec: self.spec, function: Arc::clone(&self.function) }
    }
}

impl<F> FunctionModel<F>
where
    F: Fn(NetId, &[f32], &mut [f32]) + Send + Sync + 'static,
{
    /// Serves `function(net, row, out)`, with `row` `[num_features]` and `out` `[num_outputs]`.
    /// Server threads call it at the same time.
    ///
    /// # Panics
    /// If the spec has no features or no outputs.
    pub fn new(spec: ModelSpec, function: F) -> Self {
        assert!(spec.num_features > 0 && spec.num_outputs > 0, "rows have at least one element");
        Self { spec, function: Arc::new(function) }
    }
}

impl<F> ModelFactory for FunctionModel<F>
where
    F: Fn(NetId, &[f32], &mut [f32]) + Send + Sync + 'static,
{
    fn spec(&self) -> ModelSpec {
        self.spec
    }

    fn open(&self) -> Result<Box<dyn Model>, ModelError> {
        Ok(Box::new(self.clone()))
    }
}

impl<F> Model for FunctionModel<F>
where
    F: Fn(NetId, &[f32], &mut [f32]) + Send + Sync + 'static,
{
    fn spec(&self) -> ModelSpec {
        self.spec
    }

    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        let (features, outputs) = (self.spec.num_features, self.spec.num_outputs);
        assert_eq!(rows.len() / features, out.len() / outputs, "one output row per row");
        for (row, out) in rows.chunks_exact(features).zip(out.chunks_exact_mut(outputs)) {
            (self.function)(net, row, out);
        }
        Ok(())
    }

    fn load(&mut self, _: NetId, _: &Arc<Weights>) -> Result<(), ModelError> {
        Ok(())
    }
}
