//! Groups of three digits, counted from the end of a run, without repeated look-ahead, so that a long run takes linear
//! time.

use crate::pattern::Stretch;
use crate::spec::stages::GroupCut;
use crate::split::classes::{class_of, NUMBER};
use crate::util::Result;

/// Digits of a group.
const GROUP: usize = 3;

/// Appends the chunks of a text.
pub fn stretches(cut: GroupCut, text: &str, out: &mut Vec<Stretch>) -> Result<()> {
    let is_number = |c: char| match cut {
        GroupCut::Behind => class_of::<true>(u32::from(c)) & NUMBER != 0,
        GroupCut::Before => c.is_ascii_digit(),
    };
    let mut before = 0;
    let mut push = |end: usize| {
        if before < end {
            out.push(Stretch { start: before, end, matched: false });
            before = end;
        }
    };
    let mut rest = text.char_indices().peekable();
    let mut places = Vec::new();
    while let Some((at, c)) = rest.next() {
        if !is_number(c) {
            continue;
        }
        // Positions of the digits of the run.
        places.clear();
        places.push(at);
        while let Some((at, _)) = rest.next_if(|&(_, c)| is_number(c)) {
            places.push(at);
        }
        let first = places.len() % GROUP;
        match cut {
            GroupCut::Behind => {
                let ends = places.iter().skip(if first == 0 { GROUP } else { first }).step_by(GROUP);
                ends.for_each(|&end| push(end));
                push(rest.peek().map_or(text.len(), |&(at, _)| at));
            }
            GroupCut::Before => places.iter().skip(first).step_by(GROUP).for_each(|&start| push(start)),
        }
    }
    push(text.len());
    Ok(())
}
