// Panel: all segmentations as a picture. An arc is as wide as it is probable; the best path is bold.

import { drawn, element, facts, number, piece, share, slider, table, visible } from './dom.js';

export const id = 'lattice';
export const title = 'Lattice';
const WINDOW = 40;
const STEP = 56;
const LISTED = 200;
const TALL = 352;

// How high the arc of a piece is: long ones rise less, so that the short ones stay readable beside them.
const rise = length => 18 + 20 * Math.min(length, 6) + 4 * Math.max(0, length - 6);

export function asks(state) {
  const start = Math.max(0, state.at);
  const body = { text: state.text, model: state.model, specials: state.specials, alpha: state.alpha, start, end: start + WINDOW };
  return { path: '/v1/lattice', body };
}

function arc(answer, i, kind) {
  const { starts, ends, pieces, marginals } = answer.edges;
  const [left, right] = [(starts[i] - answer.start) * STEP, (ends[i] - answer.start) * STEP];
  const height = rise(ends[i] - starts[i]);
  const said = `${visible(pieces[i])}: ${share(marginals[i])}`;
  const node = drawn('g', { class: kind },
    drawn('title', { text: said }),
    drawn('path', { d: `M ${left} 0 Q ${(left + right) / 2} ${-2 * height} ${right} 0`, 'stroke-width': (0.8 + 6 * marginals[i]).toFixed(2) }),
    drawn('text', { x: (left + right) / 2, y: -height - 5, text: visible(pieces[i]) }));
  return node;
}

function picture(answer) {
  const { starts, ends, marginals } = answer.edges;
  const [best, second] = [new Set(answer.best), new Set(answer.runner_up)];
  const kind = i => (best.has(i) ? 'best' : second.has(i) ? 'second' : marginals[i] < 0.02 ? 'faint' : 'other');
  const order = starts.map((_, i) => i).sort((a, b) => best.has(a) - best.has(b) || marginals[a] - marginals[b]);
  const most = Math.max(1, ...starts.map((start, i) => ends[i] - start));
  const characters = Array.from(answer.normalized).slice(answer.start, answer.end);
  const width = Math.max(1, characters.length) * STEP;
  const height = 30 + rise(most);
  const svg = drawn('svg', { role: 'img', preserveAspectRatio: 'xMinYMid meet', viewBox: `-20 ${-height} ${width + 40} ${height + 50}`, 'aria-label': 'The lattice', xmlns: 'http://www.w3.org/2000/svg' });
  svg.append(drawn('desc', { text: `${starts.length} pieces; the table below lists them. The best path is bold.` }));
  svg.append(...order.map(i => arc(answer, i, kind(i))));
  const base = drawn('g', { class: 'base' });
  characters.forEach((character, i) => base.append(drawn('circle', { cx: i * STEP, cy: 0, r: 3 }), drawn('text', { x: (i + 0.5) * STEP, y: 22, text: visible(character) })));
  base.append(drawn('circle', { cx: characters.length * STEP, cy: 0, r: 3 }));
  svg.append(base);
  return { svg, box: [-20, -height, width + 40, height + 50] };
}

// Zoom and pan by changing what of the picture is seen.
function movable(svg, whole, first) {
  let box = first.slice();
  const set = next => {
    box = next;
    svg.setAttribute('viewBox', box.map(value => value.toFixed(1)).join(' '));
  };
  const zoom = (by, x = 0.5, y = 0.5) => {
    const factor = Math.min(Math.max(by, 60 / box[2]), (2 * Math.max(whole[2], first[2])) / box[2]);
    set([box[0] + box[2] * (1 - factor) * x, box[1] + box[3] * (1 - factor) * y, box[2] * factor, box[3] * factor]);
  };
  const pan = (x, y) => set([box[0] + x * box[2], box[1] + y * box[3], box[2], box[3]]);
  set(first);
  let from = null;
  const holder = element('div', { class: 'drawing', tabindex: 0, role: 'group', 'aria-label': 'Picture of the lattice: arrow keys move it, plus and minus zoom' }, svg);
  holder.addEventListener('keydown', event => {
    const keys = { ArrowLeft: () => pan(-0.1, 0), ArrowRight: () => pan(0.1, 0), ArrowUp: () => pan(0, -0.1), ArrowDown: () => pan(0, 0.1), '+': () => zoom(0.8), '-': () => zoom(1.25), 0: () => set(whole.slice()) };
    if (event.key in keys) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  holder.addEventListener('wheel', event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const place = holder.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.15 : 0.87, (event.clientX - place.left) / place.width, (event.clientY - place.top) / place.height);
  }, { passive: false });
  holder.addEventListener('pointerdown', event => { from = [event.clientX, event.clientY]; });
  holder.addEventListener('pointermove', event => {
    if (!from) return;
    pan((from[0] - event.clientX) / holder.clientWidth, (from[1] - event.clientY) / holder.clientHeight);
    from = [event.clientX, event.clientY];
  });
  for (const name of ['pointerup', 'pointerleave', 'pointercancel']) holder.addEventListener(name, () => { from = null; });
  return { holder, zoom, reset: () => set(whole.slice()) };
}

export function show(panel, answer, state, change) {
  const { svg, box } = picture(answer);
  // At first letters have their size: as much of the picture as the panel has room for.
  const tall = Math.max(TALL, box[3]);
  const wide = Math.max(320, panel.clientWidth || 800) * tall / TALL;
  const { holder, zoom, reset } = movable(svg, box, [box[0], box[1] - (tall - box[3]) / 2, wide, tall]);
  const length = Array.from(answer.normalized).length;
  const button = (text, onclick, disabled) => element('button', { type: 'button', text, onclick, disabled });
  const { starts, ends, pieces, scores, marginals } = answer.edges;
  const best = new Set(answer.best);
  const listed = starts.map((_, i) => i).sort((a, b) => marginals[b] - marginals[a]).slice(0, LISTED);
  const rows = listed.map(i => ({ kind: best.has(i) ? 'won' : '', cells: [piece(pieces[i]), `${starts[i]}–${ends[i]}`, number(scores[i], 6), share(marginals[i])] }));
  panel.replaceChildren(
    slider('alpha', 0, 2, 0.05, state.alpha, alpha => change({ alpha }), value => value.toFixed(2)),
    holder,
    element('div', { class: 'buttons' },
      button('Zoom in', () => zoom(0.7)), button('Zoom out', () => zoom(1.4)), button('Whole picture', reset),
      button('Earlier text', () => change({ at: Math.max(0, answer.start - WINDOW) }), answer.start === 0),
      button('Later text', () => change({ at: answer.start + WINDOW }), answer.start + WINDOW >= length),
      element('span', { class: 'note', text: `characters ${answer.start}–${answer.end} of ${length}` })),
    facts([
      ['paths', answer.log_paths < 30 ? Math.round(Math.exp(answer.log_paths)).toLocaleString('en') : `10^${(answer.log_paths / Math.LN10).toFixed(0)}`],
      ['entropy', `${number(answer.entropy)} nats`], ['tokens on average', number(answer.expected_tokens)],
      ['width of an arc', answer.is_scored ? `probability at alpha ${state.alpha}` : 'share of all paths'],
    ]),
    element('details', {}, element('summary', { text: 'The pieces as a table' }),
      table('Pieces that fit, the most probable first', ['piece', 'place', 'score', 'probability'], rows)));
  return () => {};
}

const LOOKS = ['fill', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'font-family', 'font-size', 'font-weight', 'text-anchor', 'visibility'];

// The picture as a file of its own: what the style sheet says of its parts is written into them, on the ground of the page.
export function svg(panel) {
  const found = panel.querySelector('svg');
  if (!found) return '';
  const copy = found.cloneNode(true);
  const parts = copy.querySelectorAll('path, text, circle');
  found.querySelectorAll('path, text, circle').forEach((part, at) => {
    const look = getComputedStyle(part);
    for (const name of LOOKS) parts[at].setAttribute(name, look.getPropertyValue(name));
  });
  const [x, y, width, height] = copy.getAttribute('viewBox').split(' ');
  copy.setAttribute('width', width);
  copy.setAttribute('height', height);
  copy.prepend(drawn('rect', { x, y, width, height, fill: getComputedStyle(document.body).backgroundColor }));
  return new XMLSerializer().serializeToString(copy);
}
