//! Work on many items on all cores, with the results in the order of the items.
//!
//! In: a list and what to do with each item. Out: the results. `map(&[1, 2], |n| n + 1)` is `[2, 3]`; one item,
//! or one core, starts no thread.

use std::sync::atomic::{AtomicUsize, Ordering};

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
