//! The output of a run: progress, findings and their rows, the summary. And the watchdog, for hangs.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::guard::{self, processor_time, Finding};
use crate::make;
use crate::options::Options;
use crate::rng::Rng;

const EVERY: Duration = Duration::from_secs(30);
/// Processor time after which a case counts as a hang; the slowest take about 10 s.
const HANG: Duration = Duration::from_secs(90);
/// Time by the clock after which it does, whatever it waits for.
const STANDSTILL: Duration = Duration::from_secs(900);
/// Number of different findings after which a run ends.
const ENOUGH: usize = 20;

/// Counts of a run.
pub struct Report {
    seed: u64,
    keep: String,
    start: Instant,
    shown: Instant,
    cases: u64,
    refused: u64,
    /// The case that took longest.
    slowest: (Duration, u64),
    /// How often each finding was seen.
    findings: BTreeMap<(&'static str, Option<String>), u64>,
}

impl Report {
    /// The state before the first case.
    pub fn new(options: &Options) -> Self {
        let (seed, keep, start) = (options.seed, options.keep.clone(), Instant::now());
        let (slowest, findings) = ((Duration::ZERO, 0), BTreeMap::new());
        Self { seed, keep, start, shown: start, cases: 0, refused: 0, slowest, findings }
    }

    /// A case whose checks hold.
    pub fn held(&mut self) {
        self.cases += 1;
        if self.shown.elapsed() >= EVERY {
            self.shown = Instant::now();
            println!("kernel: {}", self.line());
        }
    }

    /// How long a case took.
    pub fn took(&mut self, number: u64, time: Duration) {
        self.slowest = self.slowest.max((time, number));
    }

    /// A case whose Spec was refused.
    pub fn refused(&mut self) {
        self.refused += 1;
        self.held();
    }

    /// Whether such a finding was not seen before: another check, or a panic at another location.
    pub fn is_new(&mut self, finding: &Finding) -> bool {
        self.held();
        let seen = self.findings.entry((finding.check, finding.place.clone())).or_default();
        *seen += 1;
        *seen == 1
    }

    /// Whether the run should continue.
    pub fn goes_on(&self) -> bool {
        self.findings.len() < ENOUGH
    }

    /// Prints and stores a finding.
    pub fn found(&self, number: u64, case: &Case, finding: &Finding) {
        println!("kernel: FINDING, case {number}, {}: {}", finding.check, finding.what);
        keep(&self.keep, self.seed, &case.to_json(finding.check, &finding.what));
    }

    fn line(&self) -> String {
        let (seconds, findings) = (self.start.elapsed().as_secs(), self.findings.len());
        format!("{seconds} s, {} cases ({} of them refused), {findings} findings", self.cases, self.refused)
    }

    /// Prints the summary.
    pub fn close(&self) -> ExitCode {
        for ((check, place), times) in &self.findings {
            println!("kernel: {check} {} seen {times} times", place.as_deref().unwrap_or(""));
        }
        let (time, number) = self.slowest;
        let (check_time, check) = guard::slowest();
        let (time, check_time) = (time.as_secs_f32(), check_time.as_secs_f32());
        println!("kernel: slowest case {number}, {time:.1} s; slowest check {check}, {check_time:.1} s");
        println!("kernel: done, seed {}, {}", self.seed, self.line());
        ExitCode::from(u8::from(!self.findings.is_empty()))
    }
}

/// Appends a row to the run's file of findings.
fn keep(folder: &str, seed: u64, row: &serde_json::Value) {
    let path = format!("{folder}/kernel-{seed}.jsonl");
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::File::options().create(true).append(true).open(&path))
        .and_then(|mut file| writeln!(file, "{row}"));
    match written {
        Ok(()) => println!("kernel: kept in {path}"),
        Err(error) => println!("kernel: {path} cannot be written ({error}); the row is\n{row}"),
    }
}

/// Ends the process when a case takes far too long.
pub struct Watch {
    number: Arc<AtomicU64>,
    beats: Arc<AtomicU64>,
    /// Set at the end of the run.
    pub stopped: Arc<AtomicBool>,
}

impl Watch {
    /// Starts watching the run of a seed.
    pub fn start(seed: u64, folder: String) -> Self {
        let watch = Self { number: Arc::default(), beats: Arc::default(), stopped: Arc::default() };
        let (number, beats, stopped) = (watch.number.clone(), watch.beats.clone(), watch.stopped.clone());
        std::thread::spawn(move || {
            let (mut last, mut since, mut spent) = (0, Instant::now(), processor_time());
            while !stopped.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(500));
                let now = beats.load(Ordering::Relaxed);
                if now != last {
                    (last, since, spent) = (now, Instant::now(), processor_time());
                } else if processor_time().saturating_sub(spent) >= HANG || since.elapsed() >= STANDSTILL {
                    hang(seed, number.load(Ordering::Relaxed), &folder);
                }
            }
        });
        watch
    }

    /// Reports that a case begins, or a smaller one in its place.
    pub fn beat(&self, number: u64) {
        self.number.store(number, Ordering::Relaxed);
        self.beats.fetch_add(1, Ordering::Relaxed);
    }
}

fn hang(seed: u64, number: u64, folder: &str) {
    let what = format!("{} hangs", guard::running());
    println!("kernel: FINDING, case {number}: {what}");
    keep(folder, seed, &make::case(&mut Rng::of_case(seed, number)).to_json("hang", &what));
    std::process::exit(1);
}
