// A list of tokens: a hundred thousand of them stay smooth, since only blocks near the window have elements.
// It is a listbox: one token can be focused, arrow keys move, and whoever asked hears which it is.

import { element, visible } from './dom.js';

const BLOCK = 150;
const COLOURS = 6;
const LETTERS = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

export function direction(text) {
  const first = text.slice(0, 2000).match(LETTERS);
  return first && RIGHT_TO_LEFT.test(first[0]) ? 'rtl' : 'ltr';
}

export class TokenList {
  // rows: count, shown(i), below(i), kind(i), label(i); focused(i) is called when one is looked at.
  constructor(label, rows, focused = () => {}, way = 'ltr') {
    this.rows = rows;
    this.focused = focused;
    this.at = 0;
    this.node = element('div', { class: 'tokens', role: 'listbox', 'aria-label': label, dir: way, tabindex: rows.count ? -1 : 0 });
    this.blocks = [];
    this.watch = new IntersectionObserver(seen => this.seen(seen), { root: this.node, rootMargin: '600px' });
    for (let start = 0; start < rows.count; start += BLOCK) {
      const block = element('div', { role: 'group', 'aria-label': `from token ${start + 1}` });
      block.style.minHeight = `${Math.ceil(Math.min(BLOCK, rows.count - start) / 12) * 2.35}rem`;
      block.number = this.blocks.length;
      this.blocks.push(block);
      this.watch.observe(block);
    }
    this.node.append(...this.blocks);
    if (rows.count) this.fill(this.blocks[0]);
    this.node.addEventListener('keydown', event => this.key(event));
    this.node.addEventListener('click', event => this.pointed(event, true));
    this.node.addEventListener('pointerover', event => this.pointed(event, false));
    this.node.addEventListener('focusin', event => this.pointed(event, false));
  }

  seen(entries) {
    for (const entry of entries) {
      if (entry.isIntersecting) this.fill(entry.target);
      else if (entry.target.filled && !entry.target.contains(document.activeElement) && entry.target.number) this.clear(entry.target);
    }
  }

  fill(block) {
    if (block.filled) return;
    const start = block.number * BLOCK;
    const tokens = [];
    for (let i = start; i < Math.min(start + BLOCK, this.rows.count); i++) tokens.push(this.token(i));
    block.replaceChildren(...tokens);
    block.style.minHeight = '';
    block.filled = true;
  }

  clear(block) {
    block.style.minHeight = `${block.offsetHeight}px`;
    block.replaceChildren();
    block.filled = false;
  }

  token(i) {
    const node = element('span', {
      class: `tok t${i % COLOURS} ${this.rows.kind(i)}`, role: 'option', tabindex: i === this.at ? 0 : -1,
      'aria-selected': i === this.at ? 'true' : 'false', 'aria-label': this.rows.label(i), 'aria-posinset': i + 1,
      'aria-setsize': this.rows.count,
    }, element('bdi', { text: visible(this.rows.shown(i)) || '∅' }), element('small', { text: this.rows.below(i) }));
    node.number = i;
    return node;
  }

  find(i) {
    const block = this.blocks[Math.floor(i / BLOCK)];
    this.fill(block);
    return block.children[i % BLOCK];
  }

  choose(i, takesFocus) {
    const before = this.blocks[Math.floor(this.at / BLOCK)];
    if (before && before.filled) {
      const old = before.children[this.at % BLOCK];
      old.tabIndex = -1;
      old.setAttribute('aria-selected', 'false');
    }
    this.at = i;
    const node = this.find(i);
    node.tabIndex = 0;
    node.setAttribute('aria-selected', 'true');
    if (takesFocus) {
      node.focus();
      node.scrollIntoView({ block: 'nearest' });
    }
    this.focused(i);
  }

  pointed(event, takesFocus) {
    const node = event.target.closest('.tok');
    if (!node || (node.number === this.at && !takesFocus)) return;
    if (event.type === 'pointerover' && this.node.contains(document.activeElement)) return;
    this.choose(node.number, takesFocus);
  }

  key(event) {
    const back = this.node.dir === 'rtl' ? 'ArrowRight' : 'ArrowLeft';
    const on = this.node.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const moves = { [back]: -1, [on]: 1, ArrowUp: -10, ArrowDown: 10, PageUp: -BLOCK, PageDown: BLOCK, Home: -Infinity, End: Infinity };
    if (!(event.key in moves) || !this.rows.count) return;
    event.preventDefault();
    this.choose(Math.max(0, Math.min(this.rows.count - 1, this.at + moves[event.key])), true);
  }

  close() {
    this.watch.disconnect();
  }
}
