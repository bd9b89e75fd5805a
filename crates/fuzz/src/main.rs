//! `make fuzz`, the kernel's half: random Specs and texts, every path against the reference path, damage to stored
//! files.
//!
//! Case number `n` of a run depends on the seed and on `n` only. Findings are shrunk, printed, and stored as rows of
//! JSON that `--replay` takes. Exit status 1 if there was one.

mod case;
mod charsmap;
mod checks;
mod damage;
mod guard;
mod make;
mod options;
mod report;
mod rng;
mod shrink;
mod texts;

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use case::Case;
use checks::{run, Verdict};
use options::Options;
use report::{Report, Watch};
use rng::Rng;

/// Time limit for shrinking a finding.
const SHRINK: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    guard::install();
    match &options.replay {
        Some(path) => match replay(path) {
            Ok(0) => ExitCode::SUCCESS,
            Ok(_) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("{path} cannot be read: {error}");
                ExitCode::from(2)
            }
        },
        None => fuzz(&options),
    }
}

fn fuzz(options: &Options) -> ExitCode {
    println!("kernel: seed {}, {} seconds", options.seed, options.seconds);
    let watch = Watch::start(options.seed, options.keep.clone());
    let mut report = Report::new(options);
    let end = Instant::now() + Duration::from_secs(options.seconds);
    let mut number = options.first;
    while Instant::now() < end && report.goes_on() {
        watch.beat(number);
        if options.trace {
            println!("kernel: case {number}");
        }
        let case = make::case(&mut Rng::of_case(options.seed, number));
        let start = Instant::now();
        let verdict = run(&case);
        report.took(number, start.elapsed());
        match verdict {
            Verdict::Holds => report.held(),
            Verdict::Refused => report.refused(),
            Verdict::Fails(finding) => {
                if report.is_new(&finding) {
                    let (case, finding) = shrink::shrink(case, finding, SHRINK, &|| watch.beat(number));
                    report.found(number, &case, &finding);
                }
            }
        }
        number += 1;
    }
    watch.stopped.store(true, Ordering::Relaxed);
    report.close()
}

/// Runs the kernel's rows of a file of findings; the number of those that fail.
fn replay(path: &str) -> std::io::Result<usize> {
    let text = std::fs::read_to_string(path)?;
    let (mut rows, mut failures) = (0, 0);
    for (line, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
        let parsed = serde_json::from_str::<serde_json::Value>(row).map_err(|_| "JSON");
        let case = match parsed {
            Ok(row) if row["fuzzer"] != "kernel" => continue,
            other => other.and_then(|row| Case::from_json(&row)),
        };
        rows += 1;
        let problem = match case.as_ref().map(run) {
            Ok(Verdict::Fails(finding)) => format!("{}: {}", finding.check, finding.what),
            Ok(_) => continue,
            Err(field) => format!("its {field} cannot be read"),
        };
        failures += 1;
        println!("{path}, line {}: {problem}", line + 1);
    }
    println!("kernel: {rows} rows replayed, {failures} findings");
    Ok(failures)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many as take some seconds.
    const CASES: u64 = 400;

    /// One test, since the panic hook belongs to the process.
    #[test]
    fn what_was_found_stays_mended_and_the_first_cases_hold() {
        guard::install();
        let replayed = replay(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/fuzz/kernel.jsonl"));
        let (mut held, mut failing) = (0, Vec::new());
        for number in 0..CASES {
            match run(&make::case(&mut Rng::of_case(7, number))) {
                Verdict::Holds => held += 1,
                Verdict::Refused => {}
                Verdict::Fails(finding) => failing.push((number, finding)),
            }
        }
        drop(std::panic::take_hook());
        assert!(matches!(replayed, Ok(0)), "{replayed:?}");
        assert!(failing.is_empty(), "{failing:?}");
        assert!(2 * held > CASES, "{held} of {CASES} Specs were tried");
    }
}
