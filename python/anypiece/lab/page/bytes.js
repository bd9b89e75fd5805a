// Panel: the bytes of the text, below its characters and above its tokens.

import { element, visible } from './dom.js';
import { known } from './tokens.js';

export const id = 'bytes';
export const title = 'Bytes';
const WINDOW = 256;

export function asks(state) {
  return { path: '/v1/spans', body: { text: state.text, model: state.model, specials: state.specials, unit: 'byte', details: true } };
}

// Where each token lies in the bytes: those that spell one character together have a byte each.
function placed(answer) {
  const [starts, ends] = [answer.starts.slice(), answer.ends.slice()];
  for (let i = 0; i < starts.length; i++) {
    let last = i;
    while (last + 1 < starts.length && ends[last] === starts[i] && starts[last + 1] === starts[i]) last++;
    const width = ends[last] - starts[i];
    if (last > i && width === last - i + 1) {
      const begin = starts[i];
      for (let j = i; j <= last; j++) [starts[j], ends[j]] = [begin + j - i, begin + j - i + 1];
    }
    i = last;
  }
  return [starts, ends];
}

export function show(panel, answer, state, change) {
  const raw = new TextEncoder().encode(state.text);
  const [starts, ends] = placed(answer);
  const rows = known(answer.vocabulary);
  const from = Math.min(Math.max(0, state.at), Math.max(0, raw.length - 1));
  const to = Math.min(raw.length, from + WINDOW);
  const grid = element('div', { class: 'bytes' });
  const cell = (row, start, end, kind, text) => {
    const [left, right] = [Math.max(start, from), Math.min(end, to)];
    if (left >= right) return;
    const node = element('span', { class: kind, text });
    node.style.gridRow = row;
    node.style.gridColumn = `${left - from + 1} / ${right - from + 1}`;
    grid.append(node);
  };
  let at = 0;
  for (const character of state.text) {
    const point = character.codePointAt(0);
    const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (at >= to) break;
    cell(1, at, at + size, 'char', visible(character));
    at += size;
  }
  for (let i = from; i < to; i++) cell(2, i, i + 1, 'hex', raw[i].toString(16).padStart(2, '0'));
  for (let i = 0; i < starts.length; i++) {
    if (starts[i] < to && ends[i] > from) cell(3, starts[i], ends[i], 'bracket', visible(rows.get(answer.ids[i])[1]));
  }
  const move = by => change({ at: Math.max(0, Math.min(raw.length - 1, from + by)) });
  const buttons = element('div', { class: 'buttons' },
    element('button', { type: 'button', text: 'Earlier bytes', disabled: from === 0, onclick: () => move(-WINDOW) }),
    element('button', { type: 'button', text: 'Later bytes', disabled: to === raw.length, onclick: () => move(WINDOW) }),
    element('span', { class: 'note', text: `bytes ${from}–${to} of ${raw.length}` }));
  panel.replaceChildren(element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Characters, bytes and tokens', dir: 'ltr' }, grid), buttons);
}
