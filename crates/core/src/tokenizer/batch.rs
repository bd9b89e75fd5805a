//! Batch encoding. Threads live as long as the call; the result does not depend on their number.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::sampling::Draw;
use crate::specials::Permit;
use crate::tokenizer::input::Input;
use crate::tokenizer::scratch::Scratch;
use crate::tokenizer::Tokenizer;
use crate::util::join::join_all;
use crate::util::rng::Seed;
use crate::util::{i64_of, report, u64_of, Result};

/// Bytes of text in a share, the unit of work of a thread.
const SHARE: usize = 64 * 1024;
/// Minimum bytes of a text that is itself split over threads.
const LONG: usize = 1 << 20;

/// Ids of all texts, concatenated, and where each begins; one more offset than texts.
pub type Flat = (Vec<u32>, Vec<i64>);

/// Encodes every text.
pub fn encode(tokenizer: &Tokenizer, texts: &[Input<'_>], permit: Permit<'_>, threads: usize) -> Result<Flat> {
    let shares = run(tokenizer, texts, threads, Input::size, |_, mut rest, scratch, out: &mut Flat| {
        while let Some((text, later)) = rest.split_first() {
            let short = tokenizer.encode_short(rest, permit, scratch)?;
            if short > 0 {
                let counts = &scratch.rows.counts;
                out.0.extend_from_slice(&scratch.engine.ids[..counts.iter().sum()]);
                out.1.extend(counts.iter().map(|&count| i64_of(count)));
                rest = &rest[short..];
                continue;
            }
            let ids = match *text {
                Input::Bytes(text) if threads > 1 && text.len() > LONG => {
                    &tokenizer.encode_threaded(text, permit, threads)?
                }
                text => tokenizer.encode_input(text, permit, scratch)?,
            };
            out.0.extend_from_slice(ids);
            out.1.push(i64_of(ids.len()));
            rest = later;
        }
        Ok(())
    })?;
    Ok(joined(shares, texts.len()))
}

/// Concatenates shares; each has ids and the number of ids of each text.
fn joined(shares: Vec<Flat>, texts: usize) -> Flat {
    let total = shares.iter().map(|share| share.0.len()).sum();
    let mut flat: Flat = (Vec::with_capacity(total), Vec::with_capacity(texts + 1));
    flat.1.push(0);
    let mut end = 0;
    for (ids, counts) in shares {
        flat.0.extend_from_slice(&ids);
        for count in counts {
            end += count;
            flat.1.push(end);
        }
    }
    flat
}

/// Samples ids of every text; the index of a text counts on from the seed's.
pub fn sample(
    tokenizer: &Tokenizer,
    texts: &[&[u8]],
    permit: Permit<'_>,
    draw: Draw,
    seed: Seed,
    threads: usize,
) -> Result<Flat> {
    let shares = run(
        tokenizer,
        texts,
        threads,
        |text| text.len(),
        |first, share, scratch, out: &mut Flat| {
            for (number, text) in (first..).zip(share) {
                let seed = Seed { index: seed.index.wrapping_add(u64_of(number)), ..seed };
                let ids = tokenizer.sample(text, permit, draw, seed, scratch)?;
                out.1.push(i64_of(ids.len()));
                out.0.extend_from_slice(ids);
            }
            Ok(())
        },
    )?;
    Ok(joined(shares, texts.len()))
}

/// Counts the tokens of every text.
pub fn count(tokenizer: &Tokenizer, texts: &[Input<'_>], permit: Permit<'_>, threads: usize) -> Result<Vec<i64>> {
    let shares = run(tokenizer, texts, threads, Input::size, |_, mut rest, scratch, out: &mut Vec<i64>| {
        while let Some((text, later)) = rest.split_first() {
            let short = tokenizer.encode_short(rest, permit, scratch)?;
            if short > 0 {
                out.extend(scratch.rows.counts.iter().map(|&count| i64_of(count)));
                rest = &rest[short..];
                continue;
            }
            out.push(i64_of(tokenizer.count_input(*text, permit, scratch)?));
            rest = later;
        }
        Ok(())
    })?;
    Ok(shares.concat())
}

/// Cuts the texts into shares, lets the threads take one at a time, and returns the shares' results in order. `work` gets the
/// number of its first text.
fn run<I: Sync, T: Default + Send>(
    tokenizer: &Tokenizer,
    texts: &[I],
    threads: usize,
    size: impl Fn(&I) -> usize,
    work: impl Fn(usize, &[I], &mut Scratch, &mut T) -> Result<()> + Sync,
) -> Result<Vec<T>> {
    let shares = share_out(texts, size);
    let next = AtomicUsize::new(0);
    let worker = &|| {
        let mut scratch = tokenizer.scratch();
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((first, share)) = shares.get(index) else { break };
            let mut out = T::default();
            report(SHARE);
            let result = work(*first, share, &mut scratch, &mut out);
            done.push((index, result.map(|()| out)));
        }
        tokenizer.give_back(scratch);
        done
    };
    let helpers = threads.min(shares.len()).saturating_sub(1);
    let (mut done, others) = join_all(worker, (0..helpers).map(|_| worker));
    for other in others {
        done.extend(other.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    }
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Ranges of the texts, each with the index of its first text.
fn share_out<I>(texts: &[I], size: impl Fn(&I) -> usize) -> Vec<(usize, &[I])> {
    let mut shares = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (index, text) in texts.iter().enumerate() {
        bytes += size(text) + 64;
        if bytes >= SHARE {
            shares.push((start, &texts[start..=index]));
            start = index + 1;
            bytes = 0;
        }
    }
    if start < texts.len() {
        shares.push((start, &texts[start..]));
    }
    shares
}
