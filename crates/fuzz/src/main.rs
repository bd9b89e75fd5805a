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
        Some(path) => replay(path),
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

/// Runs the kernel's rows of a file of findings.
fn replay(path: &str) -> ExitCode {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path} cannot be read: {error}");
            return ExitCode::from(2);
        }
    };
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
    ExitCode::from(u8::from(failures > 0))
}
