//! The cheapest choices of a path for each of some units, in order.
//!
//! A heap gives them one by one, each made from one before it. Where few are asked for, it is quicker to count first, roughly, up
//! to which cost there are enough, then to make all up to there, unit by unit, and to sort these.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::util::cast::{f64_of, low32, low64, u32_of, u32_of_f64, us};
use crate::util::interrupt::report;

/// No choice.
const NONE: u32 = u32::MAX;
/// So many are made by counting at most, and of each unit so many paths besides the best are counted: as many as its list has at first,
/// so that counting makes no list longer.
const MOST_COUNTED: usize = 256;
const PATHS: usize = 7;
/// Steps of cost that choices are counted by. A bound of fewer than some of them is too coarse.
const STEPS: usize = 64;
const FEW_STEPS: usize = 24;
/// Shelves that those made are sorted on. There are the fewer the less they cost: so a shelf is the square of what a choice costs, in such
/// steps that the dearest has the last shelf but some.
const SHELVES: usize = 256;
const SHELF_STEPS: f64 = 15.0;
/// More of one cost, as a word has that comes again and again, are left to the heap: there they are in order at once.
const MOST_EQUAL: usize = 16;

/// One choice of paths: `last` has its path number `rank`, units before it what the choice `base` says, those behind it their best.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
struct Choice {
    last: u32,
    rank: u32,
    base: u32,
}

/// The choices that were made, and those that came out in order. Used again and again.
#[derive(Default)]
pub struct Choices {
    all: Vec<Choice>,
    /// What each costs: what its base does, and its last path.
    costs: Vec<f64>,
    /// How many they are; the lists may be longer. Of those that were counted, where the ones with each last unit begin.
    made: usize,
    begins: Vec<usize>,
    order: Vec<u32>,
    /// Those that wait: by cost, and then by number.
    heap: BinaryHeap<Reverse<u128>>,
    /// What the paths of each unit cost, and of those that are counted.
    known: Vec<Costs>,
    units: Vec<Costs>,
    /// By cost those that were counted, and where each of them stands among these.
    sorted: Vec<(f64, u32)>,
    places: Vec<u32>,
    equal: Vec<Equal>,
}

/// One of some choices of equal cost: where that stands which a heap makes it from, if that costs less, and as which child.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Equal {
    place: u32,
    child: u32,
    parent: u32,
    number: u32,
}

/// A number of choices that are ordered by their costs, as `f64::total_cmp` orders them, and then by their numbers.
#[inline(always)]
fn key(cost: f64, number: usize) -> Reverse<u128> {
    let bits = cost.to_bits();
    let bits = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    Reverse(u128::from(bits) << 32 | u128::from(u32_of(number)))
}

/// What the other paths of a unit cost, as many as are counted; infinite where there are no more, or where they are too dear.
pub type Costs = [f64; PATHS];

/// The costs of the paths of a unit behind its best one.
#[inline(always)]
pub fn costs_of(paths: impl Iterator<Item = f64>) -> Costs {
    let mut costs = [f64::INFINITY; PATHS];
    for (cost, path) in costs.iter_mut().zip(paths) {
        *cost = path;
    }
    costs
}

/// Up to which cost there are `n` choices among units: a little more than the last of them costs, and no more than `most`. Nothing if
/// there are not so many.
fn bound(units: &[Costs], n: usize, mut most: f64) -> Option<f64> {
    loop {
        // Paths are rounded up to whole steps.
        let scale = f64_of(STEPS - 8) / most;
        if !scale.is_finite() {
            return None;
        }
        let (counts, mut sum) = (count(units, scale), 0);
        let last = counts.iter().position(|&count| {
            sum += usize::from(count);
            sum >= n
        })?;
        let found = ((f64_of(last) + 0.1) / scale).min(most);
        // If there are enough that cost nothing, no finer steps are of any use.
        if last >= FEW_STEPS || last == 0 || found >= most {
            return Some(found);
        }
        most = found;
    }
}

/// How many choices there are of each cost in steps, `scale` of which make one.
fn count(units: &[Costs], scale: f64) -> [u16; STEPS] {
    // Before the first step there is nothing.
    let (mut before, mut counts) = ([0; 2 * STEPS], [0; STEPS]);
    counts[0] = 1;
    for costs in units {
        before[STEPS..].copy_from_slice(&counts);
        for size in costs.map(|cost| cost * scale) {
            if size > f64_of(STEPS - 2) {
                break;
            }
            // A very little less, which the bound is the more.
            add(&before, us(u32_of_f64(size + 0.9999)), &mut counts);
        }
    }
    counts
}

/// Adds to each step what there was so many steps before it.
#[inline(always)]
fn add(before: &[u16; 2 * STEPS], steps: usize, counts: &mut [u16; STEPS]) {
    if let Some(moved) = before.get(STEPS - steps..).and_then(<[u16]>::first_chunk::<STEPS>) {
        for (count, moved) in counts.iter_mut().zip(moved) {
            *count = count.saturating_add(*moved);
        }
    }
}

impl Choices {
    /// Takes the units to choose among, in the order of what their second path costs.
    pub fn open(&mut self, units: impl Iterator<Item = Costs>) {
        self.known.clear();
        self.known.extend(units);
    }

    /// Finds the cheapest `n` choices among them; `cost` says what a path of a unit costs, if there is one, no less than the path
    /// before it. Of equal cost is first what a heap makes first.
    #[inline(never)]
    pub fn find(&mut self, n: usize, mut cost: impl FnMut(usize, usize) -> Option<f64>) {
        if !(2..=MOST_COUNTED).contains(&n) || !self.find_by_counting(n, &mut cost) {
            self.find_by_heap(self.known.len(), n, &mut cost);
        }
    }

    /// Makes all choices up to a cost, and sorts them; says no if that does not tell which come first.
    fn find_by_counting(&mut self, n: usize, cost: &mut impl FnMut(usize, usize) -> Option<f64>) -> bool {
        let Some(most) = self.list_costs(n) else { return false };
        let (Some(most), Some(&[least, ..])) = (bound(&self.units, n, most), self.units.first()) else { return false };
        // Of one cost there may be very many.
        let room = 4 * n;
        self.all.resize(self.all.len().max(2 * room), Choice::default());
        self.costs.resize(self.costs.len().max(2 * room), 0.0);
        (self.all[0], self.costs[0]) = (Choice { last: 0, rank: 0, base: NONE }, 0.0);
        self.made = 1;
        self.begins.clear();
        for unit in 0..self.units.len() {
            let before = self.made;
            self.begins.push(before);
            for rank in 1.. {
                let known = self.units[unit].get(rank - 1).copied();
                let Some(own) = known.or_else(|| cost(unit, rank)).filter(|&own| own <= most) else { break };
                // Beside the cheapest of all it may be too dear already.
                let bases = if own + least > most { 1 } else { before };
                self.combine((unit, rank), own, bases, most);
                if self.made > room {
                    return false;
                }
            }
        }
        self.made >= n && self.sort(n, most)
    }

    /// Lists what paths cost, up to a bound, which is returned: there are enough choices up to it if there are enough at all.
    fn list_costs(&mut self, n: usize) -> Option<f64> {
        let Self { known, units, .. } = self;
        // So many units have enough choices by their second paths alone.
        let some = us(n.next_power_of_two().trailing_zeros());
        let ranks = if some > known.len() { PATHS } else { 1 };
        let dearest = |costs: &Costs| costs[..ranks].iter().copied().take_while(|&cost| cost < f64::INFINITY).last();
        let most = known.iter().take(some).map(dearest).sum::<Option<f64>>()?;
        units.clear();
        let within = |cost| if cost <= most { cost } else { f64::INFINITY };
        units.extend(known.iter().take_while(|costs| costs[0] <= most).map(|costs| costs.map(within)));
        // What costs less than nothing has no place in this order.
        units.first().filter(|costs| costs[0] >= 0.0).map(|_| most)
    }

    /// Makes the choices of a path with the first `bases`, those that cost at most so much.
    #[inline(always)]
    fn combine(&mut self, (unit, rank): (usize, usize), own: f64, bases: usize, most: f64) {
        let (before, costs) = self.costs.split_at_mut(self.made);
        let (all, mut more) = (&mut self.all[self.made..], 0);
        let (last, rank) = (u32_of(unit), u32_of(rank));
        for (base, &sum) in (0..).zip(&before[..bases]) {
            // Nobody can foretell which stay: so there is no branch.
            (costs[more], all[more]) = (sum + own, Choice { last, rank, base });
            more += usize::from(sum + own <= most);
        }
        self.made += more;
    }

    /// Puts the first `n` of those made in order; says no if too many cost the same.
    fn sort(&mut self, n: usize, most: f64) -> bool {
        let Self { costs, sorted, made, .. } = self;
        let (costs, scale) = (&costs[..*made], SHELF_STEPS / most);
        let shelf = |cost: f64| us(u32_of_f64((cost * scale) * (cost * scale))) % SHELVES;
        let mut starts = [0_u16; SHELVES + 1];
        for &cost in costs {
            starts[shelf(cost) + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        sorted.resize(*made, (0.0, 0));
        for (&cost, number) in costs.iter().zip(0..) {
            let start = &mut starts[shelf(cost)];
            sorted[usize::from(*start)] = (cost, number);
            *start += 1;
        }
        // What stands on one shelf stands together: it is not far to its place.
        let mut has_equal = false;
        for at in 1..*made {
            let (mut to, choice) = (at, sorted[at]);
            while to > 0 && sorted[to - 1].0 > choice.0 {
                sorted[to] = sorted[to - 1];
                to -= 1;
            }
            sorted[to] = choice;
            has_equal |= to > 0 && sorted[to - 1].0 == choice.0;
        }
        if has_equal && !self.sort_equals(n) {
            return false;
        }
        let Self { sorted, order, .. } = self;
        order.clear();
        order.extend(sorted[..n].iter().map(|&(_, number)| number));
        true
    }

    /// Puts those of equal cost in order; says no if they are too many.
    #[cold]
    fn sort_equals(&mut self, n: usize) -> bool {
        self.places.clear();
        self.places.resize(self.made, NONE);
        self.places[0] = 0;
        let mut start = 1;
        while start < n {
            let equal = self.sorted[start..].iter().take_while(|choice| choice.0 == self.sorted[start].0).count();
            if equal > MOST_EQUAL {
                return false;
            }
            if equal > 1 {
                self.sort_equal(start, start + equal);
            }
            for place in start..start + equal {
                self.places[us(self.sorted[place].1)] = u32_of(place);
            }
            start += equal;
        }
        true
    }

    /// Puts some of one cost in the order in which a heap makes them: by the places of what they are made from, which may be among
    /// them.
    fn sort_equal(&mut self, start: usize, end: usize) {
        self.equal.clear();
        for &(_, number) in &self.sorted[start..end] {
            let (parent, child) = self.parent(number);
            let place = self.places.get(us(parent)).copied().unwrap_or(NONE);
            self.equal.push(Equal { place, child, parent, number });
        }
        let Self { sorted, equal, .. } = self;
        equal.sort_unstable();
        let (known, others) = equal.split_at(equal.partition_point(|one| one.place != NONE));
        let mut behind = start;
        for one in known {
            sorted[behind].1 = one.number;
            behind += 1;
        }
        for at in start..end {
            let parent = sorted[at].1;
            for one in others.iter().filter(|one| one.parent == parent) {
                sorted[behind].1 = one.number;
                behind += 1;
            }
        }
    }

    /// Which of those made by counting a heap makes one from, and as which of its children.
    fn parent(&self, number: u32) -> (u32, u32) {
        let Choice { last, rank, base } = self.all[us(number)];
        let find = |wanted: Choice| {
            let first = self.begins[us(wanted.last)];
            let behind = self.begins.get(us(wanted.last) + 1).copied().unwrap_or(self.made);
            let found = self.all[first..behind].iter().position(|&choice| choice == wanted);
            found.map_or(NONE, |place| u32_of(first + place))
        };
        if rank > 1 {
            return (find(Choice { last, rank: rank - 1, base }), 0);
        }
        if last == 0 || self.all[us(base)].rank > 0 && self.all[us(base)].last + 1 == last {
            return (base, 1);
        }
        (find(Choice { last: last - 1, rank, base }), 2)
    }

    /// Takes the cheapest from a heap, and lets those wait that are made from it. Each choice is made from one other only: its last
    /// unit goes on to its next path; the next unit has its second path beside it; or in its stead, if it was the second of it.
    fn find_by_heap(&mut self, units: usize, n: usize, cost: &mut impl FnMut(usize, usize) -> Option<f64>) {
        self.all.clear();
        self.costs.clear();
        self.order.clear();
        self.heap.clear();
        self.all.push(Choice { last: 0, rank: 0, base: NONE });
        self.costs.push(0.0);
        self.made = 1;
        self.order.push(0);
        if n > 1 && units > 0 {
            if let Some(own) = cost(0, 1) {
                self.add(own, Choice { last: 0, rank: 1, base: 0 });
            }
        }
        while let Some(Reverse(key)) = self.heap.pop() {
            report(1);
            let number = low32(low64(key));
            self.order.push(number);
            if self.order.len() == n {
                break;
            }
            let Choice { last, rank, base } = self.all[us(number)];
            if let Some(on) = cost(us(last), us(rank) + 1) {
                self.add(on, Choice { last, rank: rank + 1, base });
            }
            let next = if us(last) + 1 < units { cost(us(last) + 1, 1) } else { None };
            if let Some(next) = next {
                self.add(next, Choice { last: last + 1, rank: 1, base: number });
                if rank == 1 {
                    self.add(next, Choice { last: last + 1, rank: 1, base });
                }
            }
        }
    }

    /// Lets a choice wait, whose last path costs so much.
    fn add(&mut self, own: f64, choice: Choice) {
        let cost = self.costs[us(choice.base)] + own;
        self.heap.push(key(cost, self.all.len()));
        self.all.push(choice);
        self.costs.push(cost);
        self.made += 1;
    }

    /// Those that came out, by their numbers.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// What the last of them costs.
    pub fn dearest(&self) -> f64 {
        self.order.last().map_or(0.0, |&last| self.costs[us(last)])
    }

    /// All that were made, the first aside, in which units have their best paths: the number of a choice before it, the unit that has
    /// another path here, and which.
    pub fn made(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        self.all[1..self.made].iter().map(|choice| (us(choice.base), us(choice.last), us(choice.rank)))
    }

    /// Calls `visit` for each unit that has another than its best path, the last one first.
    #[inline]
    pub fn ranks(&self, chosen: u32, mut visit: impl FnMut(usize, usize)) {
        let mut now = chosen;
        while let Some(choice) = self.all.get(us(now)).filter(|choice| choice.rank > 0) {
            visit(us(choice.last), us(choice.rank));
            now = choice.base;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a path of a unit costs: of few values, so that many are equal, or of many.
    fn cost(state: u64, unit: usize, rank: usize) -> Option<f64> {
        let mut numbers =
            crate::util::rng::Seed { seed: state, ..Default::default() }.numbers(0, crate::util::cast::u64_of(unit));
        let (paths, values) = (1 + us(numbers.draw() % 20), if state % 2 == 0 { 4 } else { 1000 });
        // A unit in three has paths that cost the same, as the same word has wherever it stands.
        let least = if state % 3 == 0 { 0 } else { 1 };
        let steps: Vec<f64> = (0..paths).map(|_| f64::from(least + numbers.draw() % values) / 3.0).collect();
        (rank <= paths).then(|| steps[..rank].iter().sum())
    }

    type Rows = Vec<Vec<(usize, usize, u64)>>;

    fn rows(choices: &Choices) -> Rows {
        let rows = choices.order.iter().map(|&number| {
            let mut rows = vec![(usize::MAX, 0, choices.costs[us(number)].to_bits())];
            choices.ranks(number, |unit, rank| rows.push((unit, rank, 0)));
            rows
        });
        rows.collect()
    }

    #[test]
    fn counting_gives_what_a_heap_does() {
        let (mut counted, mut choices) = (0, Choices::default());
        for state in 0..600 {
            let units = us(low32(state % 23));
            let mut order: Vec<usize> = (0..units).collect();
            order.sort_by(|&one, &other| {
                f64::total_cmp(&cost(state, one, 1).unwrap_or(0.0), &cost(state, other, 1).unwrap_or(0.0))
            });
            let mut cost = |unit: usize, rank| cost(state, *order.get(unit)?, rank);
            choices.open((0..units).map(|unit| costs_of((1..).map_while(|rank| cost(unit, rank)))));
            choices.find(MOST_COUNTED + 1, &mut cost);
            let longest = rows(&choices);
            for n in [1, 2, 3, 10, 64, 100, MOST_COUNTED] {
                choices.find(n, &mut cost);
                assert_eq!(rows(&choices), longest[..n.min(longest.len())], "{state} {n}");
                counted += u32::from(n > 1 && choices.find_by_counting(n, &mut cost));
            }
        }
        // Most of those that have enough choices.
        assert!(counted > 1000, "{counted}");
    }
}
