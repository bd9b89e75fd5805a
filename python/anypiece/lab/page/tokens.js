// Panel: tokens as coloured spans, and all that is known of the one that is looked at.

import { element, facts, number, piece, visible } from './dom.js';
import { TokenList, direction } from './tokenlist.js';

export const id = 'tokens';
export const title = 'Tokens';

export function asks(state) {
  return { path: '/v1/spans', body: { text: state.text, model: state.model, specials: state.specials, unit: 'utf16', details: true } };
}

// Whether a piece stands for some bytes of a character.
export function isPart(row) {
  return row[4] === 'byte' || /\\x[0-9a-f]{2}/.test(row[1]);
}

export function known(vocabulary) {
  return new Map(vocabulary.map(row => [row[0], row]));
}

// Rows for a list of tokens of a text with places as JavaScript counts.
export function rowsOf(answer, text) {
  const rows = known(answer.vocabulary);
  const row = i => rows.get(answer.ids[i]);
  const shown = i => {
    const source = text.slice(answer.starts[i], answer.ends[i]);
    return isPart(row(i)) || !source || /[\ud800-\udbff]$|^[\udc00-\udfff]/.test(source) ? row(i)[1] : source;
  };
  return {
    count: answer.ids.length, row, shown,
    below: i => String(answer.ids[i]),
    kind: i => (isPart(row(i)) ? 'part' : ''),
    label: i => `${visible(shown(i)) || 'nothing'}, id ${answer.ids[i]}, ${row(i)[4]}`,
  };
}

export function show(panel, answer, state) {
  const rows = rowsOf(answer, state.text);
  const details = element('div', { class: 'details' });
  const look = i => details.replaceChildren(facts([
    ['token', `${i + 1} of ${rows.count.toLocaleString('en')}`],
    ['id', rows.row(i)[0]],
    ['piece', piece(rows.row(i)[1])],
    ['bytes', rows.row(i)[2].replace(/../g, '$& ').trim() || '–'],
    ['text', piece(state.text.slice(answer.starts[i], answer.ends[i]))],
    ['span', `${answer.starts[i]}–${answer.ends[i]}`],
    ['score', number(rows.row(i)[3], 6)],
    ['kind', rows.row(i)[4]],
  ]));
  const list = new TokenList('Tokens', rows, look, direction(state.text));
  panel.replaceChildren(list.node, details);
  if (rows.count) look(0);
  return () => list.close();
}
