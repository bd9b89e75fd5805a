// The page: what is asked on the left, panels on the right. One request is open at a time; a newer one ends it.

import { Refused, ask, get, send, useToken } from './api.js';
import * as bytes from './bytes.js';
import * as chat from './chat.js';
import * as compare from './compare.js';
import { asCurl, asPython, copied } from './copy.js';
import { byId, element } from './dom.js';
import * as lattice from './lattice.js';
import { nbest, sample } from './paths.js';
import * as stages from './stages.js';
import { read, state, write } from './state.js';
import * as steps from './steps.js';
import * as tokens from './tokens.js';

const PANELS = [tokens, bytes, lattice, steps, nbest, sample, compare, stages, chat];
const WAIT = 150;
const SPECIAL = /<\|?[\w\s/.-]{1,30}\|?>|\[(CLS|SEP|MASK|PAD|UNK|INST)\]|<(bos|eos|unk|pad|s)>/;

let infos = [];
let last = { asked: null, answer: null };
let open = null;
let waiting = 0;
let close = () => {};

const current = () => PANELS.find(panel => panel.id === state.panel) || tokens;
const names = () => infos.map(info => info.id);

function change(more) {
  Object.assign(state, more);
  later();
}
change.infos = () => infos;

function later() {
  clearTimeout(waiting);
  waiting = setTimeout(refresh, WAIT);
}

function say(error) {
  byId('wrong').textContent = error ? error.message : '';
  byId('token-form').hidden = !(error instanceof Refused && error.status === 401);
}

async function refresh() {
  const fits = write();
  byId('too-much').textContent = fits ? '' : 'The text is too long to be kept in the address of this page.';
  warn();
  const panel = current();
  const asked = panel.asks(state, names(), infos);
  if (open) open.abort();
  const mine = open = new AbortController();
  const place = byId(`panel-${panel.id}`);
  place.setAttribute('aria-busy', 'true');
  try {
    const [answer] = await Promise.all([asked ? ask(asked.path, asked.body, mine.signal) : null, counted(mine.signal)]);
    if (mine.signal.aborted || panel !== current()) return;
    last = { asked, answer };
    const focus = focusIn(place);
    close();
    close = panel.show(place, answer, state, change, names()) || (() => {});
    focus();
    say(null);
  } catch (error) {
    if (error.name === 'AbortError' || mine !== open) return;
    say(error);
    if (error instanceof Refused && error.status === 429) return;
    // What was shown before is no answer to what is asked now.
    close();
    close = () => {};
    place.replaceChildren();
  } finally {
    if (mine === open || panel !== current()) place.removeAttribute('aria-busy');
  }
}

// What is focused within a panel is found again after it was drawn anew.
function focusIn(place) {
  const held = document.activeElement;
  if (!place.contains(held)) return () => {};
  const all = () => [...place.querySelectorAll('input, select, button, textarea, [tabindex]')];
  const at = all().indexOf(held);
  return () => { const again = all()[at]; if (again) again.focus(); };
}

let countedText = null;
async function counted(signal) {
  const key = JSON.stringify([state.text, state.model, state.specials]);
  if (key === countedText) return;
  const { count } = await ask('/v1/count', { text: state.text, model: state.model, specials: state.specials }, signal);
  const size = new TextEncoder().encode(state.text).length;
  const each = count ? `, ${(size / count).toFixed(2)} bytes per token` : '';
  byId('count').textContent = `${count.toLocaleString('en')} tokens, ${Array.from(state.text).length.toLocaleString('en')} characters, ${size.toLocaleString('en')} bytes${each}`;
  countedText = key;
}

function warn() {
  const found = state.text.slice(0, 100000).match(SPECIAL);
  byId('warning').hidden = !found;
  if (found) {
    const what = state.specials === 'parse' ? 'is taken for that token if the vocabulary has it' : 'is taken for ordinary text';
    byId('warning').textContent = `The text contains ${found[0]}, which looks like a special token; it ${what}.`;
  }
}

function select(id, takesFocus) {
  close();
  close = () => {};
  state.panel = id;
  for (const panel of PANELS) {
    const tab = byId(`tab-${panel.id}`);
    const is = panel.id === current().id;
    tab.setAttribute('aria-selected', String(is));
    tab.tabIndex = is ? 0 : -1;
    byId(`panel-${panel.id}`).hidden = !is;
    if (!is) byId(`panel-${panel.id}`).replaceChildren();
    if (is && takesFocus) tab.focus();
  }
  refresh();
}

function buildTabs() {
  for (const panel of PANELS) {
    byId('tabs').append(element('button', {
      type: 'button', role: 'tab', id: `tab-${panel.id}`, 'aria-controls': `panel-${panel.id}`, text: panel.title, onclick: () => select(panel.id, false),
    }));
    byId('panels').append(element('div', { role: 'tabpanel', id: `panel-${panel.id}`, 'aria-labelledby': `tab-${panel.id}`, hidden: true }));
  }
  byId('tabs').addEventListener('keydown', event => {
    const at = PANELS.indexOf(current());
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: PANELS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    select(PANELS[(to + PANELS.length) % PANELS.length].id, true);
  });
}

async function listModels() {
  infos = (await get('/v1/models')).data;
  if (!names().includes(state.model)) state.model = names()[0];
  byId('model').replaceChildren(...infos.map(info => element('option', { value: info.id, text: `${info.id} (${info.segmenter}, ${info.vocab_size.toLocaleString('en')})` })));
  byId('model').value = state.model;
}

async function openFile(file) {
  const name = file.name.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^[^A-Za-z0-9]+/, '').slice(0, 60) || 'file';
  byId('opened').textContent = `Reading ${file.name} …`;
  try {
    const info = await send(name, file);
    state.model = info.id;
    await listModels();
    byId('opened').textContent = `${info.id}: ${info.segmenter}, ${info.vocab_size.toLocaleString('en')} pieces.`;
    refresh();
  } catch (error) {
    byId('opened').textContent = '';
    say(error);
  }
}

function buildInputs() {
  const text = byId('text');
  text.value = state.text;
  text.addEventListener('input', () => change({ text: text.value, at: 0 }));
  byId('model').addEventListener('change', () => change({ model: byId('model').value }));
  byId('specials').value = state.specials;
  byId('specials').addEventListener('change', () => change({ specials: byId('specials').value }));
  byId('around').checked = state.around;
  byId('around').addEventListener('change', () => change({ around: byId('around').checked }));
  byId('file').addEventListener('change', () => { if (byId('file').files[0]) openFile(byId('file').files[0]); });
  byId('token-form').addEventListener('submit', event => {
    event.preventDefault();
    useToken(byId('token').value.trim());
    start();
  });
  for (const button of document.querySelectorAll('[data-copy]')) button.addEventListener('click', () => copy(button.dataset.copy));
}

function buildDrop() {
  const over = is => event => {
    event.preventDefault();
    byId('drop').classList.toggle('over', is);
  };
  document.addEventListener('dragover', over(true));
  document.addEventListener('dragleave', over(false));
  document.addEventListener('drop', event => {
    over(false)(event);
    if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
  });
}

async function copy(what) {
  if (what === 'svg') {
    const found = state.panel === 'lattice' ? lattice.svg(byId('panel-lattice')) : '';
    if (found) await copied(found, 'SVG');
    else byId('copied').textContent = 'Only the lattice is a picture: open that panel first.';
    return;
  }
  if (!last.asked) return;
  const texts = { json: () => JSON.stringify(last.answer, null, 1), python: () => asPython(last.asked), curl: () => asCurl(last.asked) };
  await copied(texts[what](), { json: 'JSON', python: 'Python', curl: 'curl' }[what]);
}

async function start() {
  try {
    await listModels();
    say(null);
    select(current().id, false);
  } catch (error) {
    say(error);
  }
}

read();
buildTabs();
buildInputs();
buildDrop();
window.addEventListener('hashchange', () => {
  read();
  byId('text').value = state.text;
  byId('specials').value = state.specials;
  byId('around').checked = state.around;
  start();
});
start();
