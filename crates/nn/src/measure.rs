//! How long a forward pass takes on a device, dispatch and computation apart.
//!
//! Three times of the same calls: until the host has handed them over (`enqueue`), what the device
//! says it was busy with them (`device`), and until everything is done (`synchronised`). On the
//! processor the host computes, so all three are about the same. Not here: engines without burn, and
//! what the times are compared with.

use std::time::{Duration, Instant};

use burn::tensor::{Device, ExecutionError, ProfileOptions, Tensor, TensorData, TimingMethod};
use deepcfr_core::MlpWeights;

use crate::device::{
    DeviceError, DeviceName, DeviceProblem, Placement, block_on, check_device, guarded, open,
};
use crate::network::Network;

/// What measures the time that a device was busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceClock {
    /// Time stamps of the device itself.
    Events,
    /// The host's clock around the calls and the wait for them.
    Host,
}

impl DeviceClock {
    /// Its name in tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Host => "host",
        }
    }
}

/// Mean times of one call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallTimes {
    /// Until the host could go on.
    pub enqueue: Duration,
    /// That the device was busy; `None` where it measured nothing.
    pub device: Option<Duration>,
    /// What measured `device`.
    pub clock: DeviceClock,
    /// Until everything was done, the wait at the end shared among the calls.
    pub synchronised: Duration,
    /// Of a call by itself: rows copied there, outputs copied back.
    pub round_trip: Duration,
}

impl CallTimes {
    /// How much of a synchronised call is dispatch: 1 where the host is the bottleneck.
    pub fn dispatch_share(&self) -> f64 {
        (self.enqueue.as_secs_f64() / self.synchronised.as_secs_f64()).min(1.0)
    }
}

/// A network on a device, ready to be timed.
pub struct ForwardProbe {
    name: DeviceName,
    device: Device,
    network: Network,
    num_features: usize,
}

impl ForwardProbe {
    /// Copies the network to where it is placed.
    ///
    /// # Errors
    /// If the device cannot be used.
    pub fn open(mlp: &MlpWeights, placement: Placement) -> Result<Self, DeviceError> {
        check_device(placement)?;
        let (name, device) = (placement.device, open(placement.device)?);
        let copy = || Network::new(&mlp.layers, mlp.activation, placement.precision, &device);
        let network = guarded(name, copy)?;
        let num_features = mlp.layers.first().map_or(0, |dense| dense.inputs);
        Ok(Self { name, device, network, num_features })
    }

    /// The outputs for `rows` `[n, num_features]`, and the time from host to host: of a first call,
    /// that of compiling and tuning its kernels too.
    ///
    /// # Errors
    /// If the device fails.
    pub fn call(&self, rows: &[f32]) -> Result<(Vec<f32>, Duration), DeviceError> {
        let begin = Instant::now();
        let outputs = self.run(|| self.network.forward(self.upload(rows)).try_into_data())?;
        let outputs = outputs.try_into_vec().map_err(|error| self.failed(&format!("{error:?}")))?;
        Ok((outputs, begin.elapsed()))
    }

    /// Times `calls` calls, at least 1, with `rows` `[n, num_features]`. Warm the size up first.
    ///
    /// # Errors
    /// If the device fails.
    pub fn time(&self, rows: &[f32], calls: u32) -> Result<CallTimes, DeviceError> {
        let calls = calls.max(1);
        let mut round_trips = Duration::ZERO;
        for _ in 0..calls {
            round_trips += self.call(rows)?.1;
        }
        let rows = self.run(|| self.ready(rows))?;
        let (enqueued, synchronised) = self.run(|| self.synchronised(&rows, calls))?;
        let (device, clock) = self.run(|| self.profiled(&rows, calls))?;
        Ok(CallTimes {
            enqueue: enqueued / calls,
            device: device.map(|device| device / calls),
            clock,
            synchronised: synchronised / calls,
            round_trip: round_trips / calls,
        })
    }

    fn upload(&self, rows: &[f32]) -> Tensor<2> {
        let shape = [rows.len() / self.num_features, self.num_features];
        Tensor::from_data(TensorData::new(rows.to_vec(), shape), &self.device)
    }

    /// The rows on the device, which has nothing left to do.
    fn ready(&self, rows: &[f32]) -> Result<Tensor<2>, ExecutionError> {
        let rows = self.upload(rows);
        self.device.sync()?;
        Ok(rows)
    }

    /// Time until the calls were handed over, and until they were done.
    fn synchronised(&self, rows: &Tensor<2>, calls: u32) -> Result<(Duration, Duration), ExecutionError> {
        let begin = Instant::now();
        let outputs = self.forwards(rows, calls);
        self.device.flush()?;
        let enqueued = begin.elapsed();
        self.device.sync()?;
        let done = begin.elapsed();
        drop(outputs);
        Ok((enqueued, done))
    }

    fn profiled(
        &self,
        rows: &Tensor<2>,
        calls: u32,
    ) -> Result<(Option<Duration>, DeviceClock), ExecutionError> {
        let options = ProfileOptions::default().flush();
        let (outputs, profile) = self.device.profile_with(options, || self.forwards(rows, calls))?;
        let clock = match profile.timing_method() {
            TimingMethod::Device => DeviceClock::Events,
            TimingMethod::System => DeviceClock::Host,
        };
        let ticks = block_on(profile.resolve());
        drop(outputs);
        Ok((ticks.map(|ticks| ticks.duration()), clock))
    }

    /// The outputs are kept: a lazy runtime would leave out what nobody holds.
    fn forwards(&self, rows: &Tensor<2>, calls: u32) -> Vec<Tensor<2>> {
        (0..calls).map(|_| self.network.forward(rows.clone())).collect()
    }

    /// Runs `work`, panics and errors of the runtime becoming the device's.
    fn run<T>(&self, work: impl FnOnce() -> Result<T, ExecutionError>) -> Result<T, DeviceError> {
        let done = if self.name.is_cpu() { work() } else { guarded(self.name, work)? };
        done.map_err(|error| self.failed(&error.to_string()))
    }

    fn failed(&self, reason: &str) -> DeviceError {
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        DeviceError { device: self.name, problem: DeviceProblem::Failed { reason } }
    }
}

#[cfg(test)]
mod tests {
    use deepcfr_core::{Activation, Dense};

    use super::*;

    fn network(hidden: usize) -> MlpWeights {
        let dense = |inputs: usize, outputs: usize| Dense {
            inputs,
            outputs,
            weight: vec![0.5; inputs * outputs],
            bias: vec![1.0; outputs],
        };
        let layers = vec![dense(4, hidden), dense(hidden, 2)];
        MlpWeights { layers, activation: Activation::Relu, output_scale: 1.0 }
    }

    #[test]
    fn a_call_on_the_processor_computes_and_is_timed_in_all_ways() {
        let probe = ForwardProbe::open(&network(256), Placement::default()).expect("the processor is there");
        let rows = vec![1.0; 4 * 64];
        let (outputs, first) = probe.call(&rows).expect("runs");
        // 256 hidden units of 4 · 0.5 + 1, halved, and 1.
        assert_eq!(outputs, vec![256.0 * 3.0 * 0.5 + 1.0; 2 * 64]);
        let times = probe.time(&rows, 5).expect("runs");
        assert!(first > Duration::ZERO && times.enqueue > Duration::ZERO);
        assert!(times.enqueue <= times.synchronised, "{times:?}");
        assert_eq!(times.clock, DeviceClock::Host);
        assert!(times.device.is_some_and(|device| device > Duration::ZERO));
        assert!(times.dispatch_share() > 0.0 && times.dispatch_share() <= 1.0);
    }
}
