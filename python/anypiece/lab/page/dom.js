// Elements. Text always goes through textContent: what comes from a vocabulary is never markup.

const SVG = 'http://www.w3.org/2000/svg';

function filled(node, properties, children) {
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'text') node.textContent = value;
    else if (name === 'class') node.setAttribute('class', value);
    else if (name === 'value') node.value = value;
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.flat().filter(child => child !== null && child !== undefined));
  return node;
}

// An element with attributes, text, listeners (onclick, ...), and children.
export function element(tag, properties, ...children) {
  return filled(document.createElement(tag), properties, children);
}

export function drawn(tag, properties, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

export const byId = id => document.getElementById(id);

const SHOWN = { ' ': '·', '\n': '↵', '\t': '→', '\r': '␍' };
const JOINERS = /^[\u200c\u200d]+$/;
const MARK = /^\p{M}/u;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

// Text as it can be shown: spaces as dots, what has no shape or turns the text around it as its number.
export function visible(text) {
  let found = MARK.test(text) ? '◌' : '';
  const joins = !JOINERS.test(text);
  for (const character of text) {
    if (SHOWN[character]) found += SHOWN[character];
    else if (joins && (character === '\u200d' || character === '\u200c')) found += character;
    else if (UNSEEN.test(character)) found += '\\u' + character.codePointAt(0).toString(16).padStart(4, '0');
    else found += character;
  }
  return found;
}

export function piece(text) {
  return element('bdi', { class: 'piece', text: visible(text) || '∅' });
}

// A table in a box that scrolls by itself; cells are text or nodes.
export function table(caption, heads, rows, kinds = []) {
  const head = element('tr', {}, heads.map((name, at) => element('th', { scope: 'col', class: kinds[at], text: name })));
  const body = rows.map(row => element('tr', { class: row.kind }, row.cells.map((cell, at) => {
    const node = element(at ? 'td' : 'th', { class: kinds[at], scope: at ? undefined : 'row' });
    node.append(cell === null || cell === undefined ? '' : cell instanceof Node ? cell : String(cell));
    return node;
  })));
  return element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    element('table', {}, element('caption', { text: caption }), element('thead', {}, head), element('tbody', {}, body)));
}

export function facts(rows) {
  return element('dl', { class: 'facts' }, rows.map(([name, value]) => element('div', {},
    element('dt', { text: name }), element('dd', {}, value instanceof Node ? value : String(value)))));
}

export function number(value, digits = 4) {
  if (value === null || value === undefined) return '–';
  return Number.isInteger(value) ? value.toLocaleString('en') : Number(value).toPrecision(digits);
}

export function share(value) {
  return value === null || value === undefined ? '–' : value >= 0.0001 ? (100 * value).toFixed(2) + ' %' : value.toExponential(1);
}

// A slider with its name and what it says now.
export function slider(label, least, most, step, value, changed, say = String) {
  const told = element('output', { text: say(value) });
  const input = element('input', { type: 'range', min: least, max: most, step, value, 'aria-label': label, 'aria-valuetext': say(value) });
  input.addEventListener('input', () => {
    told.textContent = say(Number(input.value));
    input.setAttribute('aria-valuetext', say(Number(input.value)));
    changed(Number(input.value));
  });
  return element('div', { class: 'fields' }, element('span', { text: label }), input, told);
}

export function bar(value, most, kind = '') {
  const node = element('span', { class: `bar ${kind}` });
  node.style.width = `${most > 0 ? Math.max(0, Math.min(100, 100 * value / most)) : 0}%`;
  return node;
}
