// Panel: two to six tokenizers side by side; boundaries that not all of them have are marked.

import { element, number, table } from './dom.js';
import { TokenList, direction } from './tokenlist.js';
import { rowsOf } from './tokens.js';

export const id = 'compare';
export const title = 'Compare';

function chosen(state, models) {
  const known = state.models.filter(name => models.includes(name));
  return known.length >= 2 ? known.slice(0, 6) : models.slice(0, Math.min(6, Math.max(2, known.length)));
}

export function asks(state, models) {
  const names = chosen(state, models);
  if (names.length < 2) return null;
  return { path: '/v1/compare', body: { text: state.text, models: names, specials: state.specials, unit: 'utf16' } };
}

function choices(state, models, change) {
  const names = new Set(chosen(state, models));
  const boxes = models.map(name => {
    const box = element('input', { type: 'checkbox' });
    box.checked = names.has(name);
    box.addEventListener('change', () => {
      if (box.checked) names.add(name);
      else names.delete(name);
      if (names.size >= 2 && names.size <= 6) change({ models: models.filter(one => names.has(one)) });
      else box.checked = !box.checked;
    });
    return element('label', { class: 'check' }, box, ` ${name}`);
  });
  return element('fieldset', { class: 'fields' }, element('legend', { text: 'Two to six tokenizers' }), boxes);
}

export function show(panel, answer, state, change, models) {
  if (!answer) {
    panel.replaceChildren(element('p', { text: 'There is one tokenizer only. Open another file, or start the server with more.' }));
    return () => {};
  }
  const common = new Set(answer.common);
  const lists = answer.models.map(column => {
    const rows = rowsOf(column, state.text);
    const kind = rows.kind;
    const label = rows.label;
    const isOdd = i => !common.has(column.ends[i]);
    rows.kind = i => `${kind(i)} ${isOdd(i) ? 'odd' : ''}`;
    rows.label = i => label(i) + (isOdd(i) ? ', ends where others do not' : '');
    return [column.model, new TokenList(`Tokens of ${column.model}`, rows, () => {}, direction(state.text))];
  });
  const rows = answer.models.map(one => ({
    cells: [one.model, one.count, number(one.bytes_per_token), number(one.characters_per_token), one.own_boundaries, one.unknown, one.byte_pieces, one.different_pieces, one.round_trip ? 'yes' : 'no'],
  }));
  panel.replaceChildren(
    choices(state, models, change),
    table('Figures', ['tokenizer', 'tokens', 'bytes per token', 'characters per token', 'own boundaries', 'unknown', 'byte pieces', 'different pieces', 'decodes to the text'], rows),
    element('p', { class: 'note', text: 'A double line ends a token where not all tokenizers have a boundary.' }),
    ...lists.flatMap(([name, list]) => [element('h3', { text: name }), list.node]));
  return () => lists.forEach(([, list]) => list.close());
}
