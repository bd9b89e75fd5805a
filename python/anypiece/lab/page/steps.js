// Panel: the table of the best path, or the merges, one step after the other.

import { element, number, piece, slider, table } from './dom.js';

export const id = 'steps';
export const title = 'Steps';

export function asks(state) {
  return { path: '/v1/explain', body: { text: state.text, model: state.model, specials: state.specials, add_special: state.around } };
}

function symbols(list, made) {
  return element('ol', { class: 'symbols', 'aria-label': 'Symbols' }, list.map((one, at) =>
    element('li', { class: at === made ? 'made' : '' }, element('bdi', { text: one.piece }))));
}

function viterbi(found, step) {
  const position = found.positions[step];
  const rows = position.candidates.map((one, at) => ({
    kind: at === position.winner ? 'won' : '',
    cells: [piece(one.piece), `${one.start}–${one.end}`, number(one.score, 6), number(one.total, 7), one.verdict],
  }));
  const before = found.positions.slice(0, step + 1).map(one => ({
    kind: found.trace.includes(one.at) && step === found.positions.length - 1 ? 'won' : '',
    cells: [one.at, one.candidates.length, number(one.total, 7), one.back ?? '–', one.tied ? 'tie' : ''],
  }));
  const last = step === found.positions.length - 1;
  const soFar = table('The table so far', ['position', 'candidates', 'best sum', 'back to', ''], before);
  soFar.classList.add('grows');
  return [
    element('p', { text: `Position ${position.at}: ${rows.length} ${rows.length === 1 ? 'piece ends' : 'pieces end'} here.` }),
    table(`Candidates at position ${position.at}`, ['piece', 'place', 'score', 'sum', 'verdict'], rows),
    soFar,
    last ? element('p', { text: `Walked back: ${found.trace.join(' ← ')}; the sum is ${number(found.total, 7)}.` }) : null,
  ];
}

function merging(found, step) {
  if (!found.merges.length) {
    return [symbols(found.first, -1), element('p', { text: found.whole ? 'The chunk is a piece itself: nothing is merged.' : 'Nothing can be merged.' })];
  }
  if (step === 0) return [element('p', { text: 'The first symbols.' }), symbols(found.first, -1)];
  const merge = found.merges[step - 1];
  const lost = merge.lost.map(([rank, place, name]) => ({ cells: [piece(name), number(rank, 7), place] }));
  return [
    element('p', {}, `Merge ${step}: `, piece(merge.left.piece), ' and ', piece(merge.right.piece), ' become ', piece(merge.made.piece), `, by ${found.by} ${number(merge.rank, 7)}.`),
    symbols(merge.symbols, merge.place),
    lost.length ? table('Merges that were possible and lost', ['piece', found.by, 'place'], lost) : null,
    merge.more_lost ? element('p', { class: 'note', text: `and ${merge.more_lost} more` }) : null,
  ];
}

function matching(found, step) {
  const match = found.matches[step];
  if (!match) return [element('p', { text: found.too_long ? 'The chunk is too long to be looked up.' : 'Nothing is matched.' })];
  return [
    element('p', {}, `At ${match.start}, ${match.tries} ${match.tries === 1 ? 'lookup' : 'lookups'}: `, match.found ? piece(match.found.piece) : 'nothing was found'),
    match.tried.length ? table('Strings that are no piece, the longest first', ['string'], match.tried.map(one => ({ cells: [piece(one)] }))) : null,
  ];
}

function lookup(found) {
  return [table('Looked up as it is', ['piece', 'id', 'place'], found.found.map(one => ({ cells: [piece(one.piece), one.id ?? 'no piece', `${one.start}–${one.end}`] })))];
}

const VIEWS = {
  viterbi: { view: viterbi, count: found => found.positions.length, first: 0 },
  merges: { view: merging, count: found => found.merges.length + 1, first: 0 },
  matches: { view: matching, count: found => found.matches.length, first: 0 },
  lookup: { view: lookup, count: () => 1, first: 0 },
};

export function show(panel, answer) {
  const chunks = answer.steps.parts.flatMap(part => (part.fragment ? part.fragment.chunks : []));
  const limits = answer.steps.limits.map(text => element('p', { class: 'note', text }));
  if (!chunks.length) {
    panel.replaceChildren(element('p', { text: 'There is nothing to segment.' }), ...limits);
    return;
  }
  const choice = element('select', {}, chunks.map((chunk, at) => element('option', { value: at, text: `${at + 1}: ${chunk.text.slice(0, 60)}` })));
  const place = element('div', {});
  const open = () => {
    const chunk = chunks[Number(choice.value)];
    const found = chunk.table;
    if (!found) {
      place.replaceChildren(element('p', { text: 'Its table was left out.' }));
      return;
    }
    const { view, count } = VIEWS[found.kind];
    const body = element('div', {});
    const draw = step => {
      body.replaceChildren(...view(found, step).filter(Boolean));
      for (const box of body.querySelectorAll('.grows')) box.scrollTop = box.scrollHeight;
    };
    const most = Math.max(0, count(found) - 1);
    const steps = slider('Step', 0, most, 1, most, draw, value => `${value} of ${most}`);
    const path = chunk.path.length ? [element('h3', { text: 'What came out' }), symbols(chunk.path, -1)] : [];
    place.replaceChildren(steps, body, ...path);
    draw(most);
  };
  choice.addEventListener('change', open);
  panel.replaceChildren(element('label', { class: 'fields' }, 'Chunk ', choice), place, ...limits);
  open();
}
