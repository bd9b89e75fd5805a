// Panel: the stages, from the text as given to the ids.

import { element, facts, number, piece, table } from './dom.js';
import { asks } from './steps.js';

export const id = 'stages';
export const title = 'Stages';
export { asks };

export function show(panel, answer) {
  const { steps } = answer;
  const fragments = steps.parts.map(part => part.fragment).filter(Boolean);
  const replaced = fragments.flatMap(one => one.replacements).map(one => ({
    cells: [`${one.start}–${one.end}`, piece(one.source), piece(one.result), one.why],
  }));
  const rules = fragments.flatMap(one => one.steps).map(one => ({ cells: [one.name, piece(one.text), one.changed ? 'changed' : 'as before'] }));
  const splits = fragments.flatMap(one => one.splits).map(one => ({
    cells: [one.name, element('span', {}, one.chunks.slice(0, 60).flatMap(chunk => [piece(chunk), ' ']))],
  }));
  const specials = [...steps.parts.map(part => part.special).filter(Boolean), ...steps.spelled].map(one => ({
    cells: [piece(one.piece), one.id, `${one.start}–${one.end}`, one.found ? 'found' : 'text', one.by],
  }));
  const chunks = fragments.flatMap(one => one.chunks).map(one => ({
    cells: [piece(one.text), `${one.source_start}–${one.source_end}`, one.rule || '–', element('span', {}, one.path.flatMap(step => [piece(step.piece), ' ']))],
  }));
  const tokens = steps.tokens.map(one => ({ cells: [piece(one.piece), one.id, `${one.start}–${one.end}`, one.how] }));
  const around = [...steps.around.before.map(one => ['before', one]), ...steps.around.after.map(one => ['after', one])]
    .map(([where, one]) => ({ cells: [where, piece(one.piece), one.id] }));
  const part = (title, ...nodes) => [element('h3', { text: title }), ...nodes];
  const listed = (title, caption, heads, rows, kinds) => (rows.length ? part(title, table(caption, heads, rows, kinds)) : []);
  panel.replaceChildren(...[
    ...part('1. Special tokens', specials.length
      ? table('Special tokens that the text spells', ['piece', 'id', 'place', 'is', 'by'], specials)
      : element('p', { class: 'note', text: 'The text spells none.' })),
    ...part('2. Normalized', element('p', {}, piece(answer.normalized))),
    ...listed('Replacements', 'What was replaced', ['place', 'text', 'became', 'by'], replaced, ['', 'w', 'w']),
    ...listed('Steps of the normalizer', 'The text after each step', ['step', 'text', ''], rules, ['', 'w']),
    ...listed('Rules of the splitter', 'Chunks after each rule', ['rule', 'chunks'], splits, ['', 'w']),
    ...listed('3. Chunks', 'Chunks and their pieces', ['chunk', 'place', 'rule', 'pieces'], chunks, ['', '', '', 'w']),
    ...listed('4. Tokens', 'Tokens and how they came about', ['piece', 'id', 'place', 'how'], tokens),
    ...listed('5. Around', `Put around the text, by ${steps.around.by}`, ['where', 'piece', 'id'], around),
    facts([
      ['ids', steps.ids.length], ['sum of scores', number(answer.total_score, 7)],
      ['runner-up', answer.runner_up ? `${answer.runner_up.pieces.join(' ')} (${number(answer.runner_up.margin)} behind)` : '–'],
      ['reference', answer.difference ? `differs in ${answer.difference.stage}` : answer.compared ? 'agrees in every stage' : 'not run'],
    ]),
    ...answer.notices.map(text => element('p', { class: 'warning', text })),
    ...steps.limits.map(text => element('p', { class: 'note', text })),
  ]);
}
