//! Work on many items on all cores, with the results in the order of the items.
//!
//! In: a list and what to do with each item. Out: the results. `map(&[1, 2], |n| n + 1)` is `[2, 3]`; one item,
//! or one core, starts no thread.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};

/// How many threads work at once.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The items that fall to a worker, each with its place in the list.
pub(crate) struct WorkerItems<'a, T> {
    /// Which worker; the first is 0.
    pub(crate) worker: usize,
    items: &'a [T],
    next: &'a AtomicUsize,
}

impl<'a, T> Iterator for WorkerItems<'a, T> {
    type Item = (usize, &'a T);

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        Some((at, self.items.get(at)?))
    }
}

/// The results of `work` on each item.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_by_worker(items, |mine, done| done.extend(mine.map(|(at, item)| (at, work(item)))))
}

/// The same where what a worker makes for one item serves it for the next: it takes the items that fall to it and puts a
/// result for each, with the item's place.
pub(crate) fn map_by_worker<T: Sync, R: Send>(
    items: &[T],
    worker: impl Fn(WorkerItems<'_, T>, &mut Vec<(usize, R)>) + Sync,
) -> Vec<R> {
    let workers = threads().min(items.len());
    let next = AtomicUsize::new(0);
    let take = &|number| {
        let mut done = Vec::new();
        worker(WorkerItems { worker: number, items, next: &next }, &mut done);
        done
    };
    if workers <= 1 {
        return take(0).into_iter().map(|(_, result)| result).collect();
    }
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|number| scope.spawn(move || take(number))).collect();
        let mut all = take(0);
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                // A panic of a worker is a bug and is passed on as it is.
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_unstable_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}

/// What a worker of [`in_order`] does: it takes items as they come and puts one result for each.
pub(crate) type Take<'a, T> = &'a mut dyn Iterator<Item = T>;

/// Work on a stream of items on all cores: the results go away in the order of the items, and only a few of both are held.
pub(crate) fn in_order<T: Send, R: Send>(
    mut items: impl Iterator<Item = T>,
    worker: impl Fn(usize, Take<'_, T>, &dyn Fn(R)) + Sync,
    mut sink: impl FnMut(R),
) {
    let workers = threads();
    if workers <= 1 {
        let sink = RefCell::new(sink);
        return worker(0, &mut items, &|result| (*sink.borrow_mut())(result));
    }
    let most = workers * AHEAD;
    let (give, jobs) = mpsc::sync_channel::<(usize, T)>(most);
    let (put, done) = mpsc::channel::<Option<(usize, R)>>();
    let jobs = &Mutex::new(jobs);
    let worker = &worker;
    std::thread::scope(|scope| {
        for number in 0..workers {
            let put = put.clone();
            scope.spawn(move || {
                let _last = LastWord(&put);
                let ticket = Cell::new(0);
                let mut mine = std::iter::from_fn(|| {
                    let (at, item) = jobs.lock().ok()?.recv().ok()?;
                    ticket.set(at);
                    Some(item)
                });
                worker(number, &mut mine, &|result| drop(put.send(Some((ticket.get(), result)))));
            });
        }
        let mut waiting = BTreeMap::new();
        let (mut given, mut taken) = (0, 0);
        loop {
            while given - taken < most {
                let Some(item) = items.next() else { break };
                if give.send((given, item)).is_err() {
                    break;
                }
                given += 1;
            }
            // A worker that broke down has a last word too, and then nobody waits for what it had.
            let Some(Ok(Some((at, result)))) = (taken < given).then(|| done.recv()) else { break };
            waiting.insert(at, result);
            while let Some(result) = waiting.remove(&taken) {
                sink(result);
                taken += 1;
            }
        }
        drop(give);
    });
}

/// So many items are with each worker, or wait for it.
const AHEAD: usize = 4;

/// Says that a worker has ended.
struct LastWord<'a, R>(&'a mpsc::Sender<Option<(usize, R)>>);

impl<R> Drop for LastWord<'_, R> {
    fn drop(&mut self) {
        drop(self.0.send(None));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_of_a_stream_come_in_its_order() {
        let mut seen = Vec::new();
        let work = |_, items: super::Take<'_, usize>, put: &dyn Fn(usize)| {
            for item in items {
                std::thread::sleep(std::time::Duration::from_micros((item % 7) as u64 * 50));
                put(item * 2);
            }
        };
        super::in_order(0..500, work, |result| seen.push(result));
        assert_eq!(seen, (0..500).map(|item| item * 2).collect::<Vec<_>>());
    }
}
