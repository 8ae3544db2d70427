//! Nothing is allocated after warm-up, on any thread. Alone in its file: the allocator is counted
//! for the whole process.

mod closed_loop;

use std::alloc::System;
use std::sync::Barrier;
use std::thread::scope;

use deepcfr_serve::{Client, Server, ServerConfig};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use closed_loop::{Walk, model};
use deepcfr_core::{Evaluator, NetId};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const LANES: usize = 24;
const GROUPS: usize = 2;

/// Every lane asks every network `rounds` times, in two groups that take turns.
fn ask(client: &mut Client, rounds: usize) {
    let walks: [Walk; LANES] = std::array::from_fn(|lane| Walk::new(0, lane, 1));
    for round in 0..rounds {
        for group in 0..GROUPS {
            for (lane, walk) in walks.iter().enumerate().filter(|(lane, _)| lane % GROUPS == group) {
                client.submit(lane, NetId(((round + lane) % 3) as u16), walk).unwrap();
            }
            client.flush().unwrap();
        }
        for _ in 0..GROUPS {
            client.wait().unwrap();
            while client.next_ready().is_some() {}
        }
    }
}

#[test]
fn nothing_is_allocated_after_warm_up() {
    for (server_threads, padding_classes) in [(1, vec![]), (2, vec![4, 16, 64])] {
        let config = ServerConfig { max_batch: 64, server_threads, padding_classes, ..Default::default() };
        let server = Server::start(&[&model()], config).unwrap();
        let clients = [(); 3].map(|()| server.client(GROUPS).unwrap());
        let (warm, counted, done) = (Barrier::new(4), Barrier::new(4), Barrier::new(4));
        scope(|scope| {
            for mut client in clients {
                let (warm, counted, done) = (&warm, &counted, &done);
                scope.spawn(move || {
                    ask(&mut client, 500);
                    warm.wait();
                    ask(&mut client, 2000);
                    counted.wait();
                    done.wait();
                });
            }
            warm.wait();
            let region = Region::new(ALLOCATOR);
            counted.wait();
            let change = region.change();
            done.wait();
            assert_eq!((change.allocations, change.reallocations), (0, 0), "{server_threads} threads");
        });
        assert_eq!(server.drain().unwrap().rows, 3 * 2500 * LANES as u64);
    }
}
