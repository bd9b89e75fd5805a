//! `python -m benchmarks.kernel`: times parts of the kernel without Python, for each stored tokenizer.
//!
//! - `scan`: unit boundaries of normalized text
//! - `encode`: the engine with a warm unit cache
//! - `misses`: the engine with an empty unit cache, so that every unit is segmented
//! - `merge` or `viterbi`: the segmenter on single units of some lengths
//! - `draw`: paths from memoized distributions, or BPE-dropout

use std::hint::black_box;
use std::time::Duration;

use anypiece_bench::{Case, CACHE_SLOTS};
use anypiece_core::bench::{prepare, Prepared, Stages};
use anypiece_core::util::rng::Seed;
use anypiece_core::{Draw, Method, Permit, Scratch};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};

/// Bytes of the units that are segmented alone.
const UNITS: [usize; 4] = [6, 14, 200, 4000];

fn encode(case: &Case, scratch: &mut Scratch) -> usize {
    let count = |document: &Vec<u8>| case.tokenizer.encode(document, Permit::Text, scratch).map_or(0, <[u32]>::len);
    case.documents.iter().map(count).sum()
}

fn sample(case: &Case, draw: Draw, epoch: u64, scratch: &mut Scratch) -> usize {
    let seed = Seed { seed: 1, epoch, index: 0 };
    let count =
        |document: &Vec<u8>| case.tokenizer.sample(document, Permit::Text, draw, seed, scratch).map_or(0, <[u32]>::len);
    case.documents.iter().map(count).sum()
}

fn bench_texts(criterion: &mut Criterion, case: &Case) {
    let mut group = criterion.benchmark_group(&case.name);
    group.throughput(Throughput::Bytes(case.bytes()));
    let texts: Vec<Prepared> = case.documents.iter().flat_map(|document| prepare(&case.tokenizer, document)).collect();
    group.bench_function("scan", |bencher| {
        let mut stages = Stages::default();
        bencher.iter(|| texts.iter().map(|text| stages.scan(&case.tokenizer, text)).sum::<usize>());
    });
    group.bench_function("encode", |bencher| {
        let mut scratch = Scratch::new(CACHE_SLOTS);
        encode(case, &mut scratch);
        bencher.iter(|| encode(case, &mut scratch));
    });
    group.bench_function("misses", |bencher| {
        let fresh = || Scratch::new(CACHE_SLOTS);
        bencher.iter_batched_ref(fresh, |scratch| encode(case, scratch), BatchSize::PerIteration);
    });
    let is_unigram = case.tokenizer.has_scores();
    let draw = if is_unigram { Draw::Path(Method::Lattice, 0.3) } else { Draw::Dropout(0.1) };
    group.bench_function("draw", |bencher| {
        let (mut scratch, mut epoch) = (Scratch::new(CACHE_SLOTS), 0);
        sample(case, draw, epoch, &mut scratch);
        bencher.iter(|| {
            epoch += 1;
            sample(case, draw, epoch, &mut scratch)
        });
    });
    group.finish();
}

fn bench_units(criterion: &mut Criterion, case: &Case) {
    let name = if case.tokenizer.has_scores() { "viterbi" } else { "merge" };
    let mut group = criterion.benchmark_group(format!("{}/{name}", case.name));
    let letters: Vec<u8> =
        case.documents.iter().flatten().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    for size in UNITS {
        let Some(text) = letters.get(..size).map(String::from_utf8_lossy) else { continue };
        group.throughput(Throughput::Bytes(u64::try_from(size).unwrap_or(0)));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            let mut stages = Stages::default();
            bencher.iter(|| stages.segment(&case.tokenizer, black_box(text.as_bytes())));
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    match Case::all() {
        Ok(cases) if cases.is_empty() => eprintln!("no inputs; run python -m benchmarks.kernel"),
        Ok(cases) => {
            for case in &cases {
                bench_texts(&mut criterion, case);
                bench_units(&mut criterion, case);
            }
        }
        Err(error) => eprintln!("{error}"),
    }
    criterion.final_summary();
}
