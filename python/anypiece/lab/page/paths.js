// Panels: the best segmentations with their probabilities, and draws beside theirs.

import { bar, element, facts, number, piece, share, slider, table } from './dom.js';

function pieces(list) {
  return element('span', {}, list.slice(0, 80).flatMap(one => [piece(one), ' ']), list.length > 80 ? '…' : null);
}

function common(state) {
  return { text: state.text, model: state.model, specials: state.specials, alpha: state.alpha };
}

function alphaSlider(state, change) {
  return slider('alpha', 0, 2, 0.05, state.alpha, alpha => change({ alpha }), value => value.toFixed(2));
}

function field(label, value, least, most, changed) {
  const input = element('input', { type: 'number', min: least, max: most, value });
  input.addEventListener('change', () => changed(Math.min(most, Math.max(least, Math.round(Number(input.value) || least)))));
  return element('label', { class: 'fields' }, label, input);
}

export const nbest = {
  id: 'nbest',
  title: 'N-best',
  asks: state => ({ path: '/v1/nbest', body: { ...common(state), n: state.n } }),
  show(panel, answer, state, change) {
    const most = Math.max(...answer.paths.map(path => path.probability), 0);
    const rows = answer.paths.map((path, at) => ({
      cells: [at + 1, pieces(path.pieces), number(path.score, 7), share(path.probability), bar(path.probability, most)],
    }));
    panel.replaceChildren(
      alphaSlider(state, change), field('How many', state.n, 1, 1000, n => change({ n })),
      table('Segmentations, the best first', ['rank', 'pieces', 'score', 'probability', 'share'], rows, ['', 'w', '', '', 'meter']));
  },
};

export const sample = {
  id: 'sample',
  title: 'Draws',
  // Merges have no probabilities: there each is skipped with probability alpha.
  asks(state, names, infos) {
    const info = infos.find(one => one.id === state.model) || infos[0];
    const isMerging = info && info.segmenter === 'bpe';
    const body = { ...common(state), n: 1000, seed: state.seed, method: isMerging ? 'dropout' : 'lattice' };
    if (isMerging) body.alpha = Math.min(1, body.alpha);
    return { path: '/v1/sample', body };
  },
  show(panel, answer, state, change) {
    const isExact = answer.method === 'lattice';
    const most = Math.max(...answer.draws.map(row => Math.max(row.count / answer.n, row.probability || 0)), 0);
    const rows = answer.draws.slice(0, 50).map(row => ({
      cells: [pieces(row.pieces), row.count, share(row.count / answer.n), share(row.probability),
        element('span', {}, bar(row.count / answer.n, most), isExact ? bar(row.probability || 0, most, 'exact') : null)],
    }));
    const exact = isExact
      ? [['entropy, exact', `${number(answer.entropy)} nats`], ['tokens, exact', number(answer.expected_tokens)]] : [];
    panel.replaceChildren(
      alphaSlider(state, change), field('Seed', state.seed, 0, 2 ** 31, seed => change({ seed })),
      element('p', { class: 'note', text: isExact
        ? 'A segmentation is drawn in proportion to exp(alpha × score).'
        : 'Each merge is skipped with the probability alpha, 1 at most; such draws have no exact probability.' }),
      facts([
        ['draws', answer.n], ['different', answer.different], ...exact,
        ['entropy of the draws', `${number(answer.drawn_entropy)} nats`], ['tokens of the draws', number(answer.drawn_tokens)],
      ]),
      table('Segmentations that were drawn, the most frequent first', ['pieces', 'drawn', 'share', 'exact', isExact ? 'drawn above exact' : 'drawn'], rows, ['w', '', '', '', 'meter']));
  },
};
