//! Waits for a future on the calling thread: burn hands some answers of a device out as futures.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{Thread, current, park};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The future's result, once there is one.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => park(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_future_that_is_woken_by_another_thread_ends() {
        let mut polls = 0;
        let future = std::future::poll_fn(move |context| {
            polls += 1;
            if polls == 3 {
                return Poll::Ready(polls);
            }
            let waker = context.waker().clone();
            drop(std::thread::spawn(move || waker.wake()));
            Poll::Pending
        });
        assert_eq!(block_on(future), 3);
    }
}
