// What the page shows, kept in the fragment of its address: it is never sent to a server.

const LONGEST = 20000;

export const DEFAULTS = {
  text: 'Hello, wörld! 你好 👋🏽 unbelievable',
  model: '', panel: 'tokens', specials: 'text', around: false, alpha: 0.2, seed: 1, n: 10, at: 0, models: [],
};

export const state = { ...DEFAULTS };

export function read() {
  const found = new URLSearchParams(location.hash.slice(1));
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    if (!found.has(name)) continue;
    const value = found.get(name);
    if (typeof usual === 'number') state[name] = Number.isFinite(Number(value)) ? Number(value) : usual;
    else if (typeof usual === 'boolean') state[name] = value === 'true';
    else if (Array.isArray(usual)) state[name] = value ? value.split(',').map(decodeURIComponent) : [];
    else state[name] = value;
  }
  if (!['text', 'parse'].includes(state.specials)) state.specials = 'text';
  state.alpha = Math.min(2, Math.max(0, state.alpha));
  state.n = Math.min(1000, Math.max(1, Math.round(state.n)));
  state.seed = Math.max(0, Math.round(state.seed));
}

// Write the state; says whether the text was short enough to be in it.
export function write() {
  const found = new URLSearchParams();
  const fits = state.text.length <= LONGEST;
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    const value = state[name];
    if (name === 'text' && !fits) continue;
    const said = Array.isArray(value) ? value.map(encodeURIComponent).join(',') : String(value);
    if (said !== String(usual)) found.set(name, said);
  }
  history.replaceState(null, '', `#${found}`);
  return fits;
}
