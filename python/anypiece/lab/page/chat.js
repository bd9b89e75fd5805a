// Panel: a conversation. Tokens of each message are known by who wrote them.

import { element, visible } from './dom.js';
import { TokenList } from './tokenlist.js';
import { known } from './tokens.js';

export const id = 'chat';
export const title = 'Chat';

const ROLES = ['system', 'user', 'assistant', 'tool'];
const PLAIN = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}";
const said = [{ role: 'system', content: 'You are brief.' }, { role: 'user', content: 'Hello!' }];
let generates = true;

export function asks(state, models, infos) {
  const info = infos.find(one => one.id === state.model) || infos[0];
  const own = info && info.chat_templates.length;
  const body = { messages: said, model: state.model, add_generation_prompt: generates };
  if (!own) body.template = PLAIN;
  return { path: '/v1/chat', body };
}

function message(one, at, again) {
  const role = element('select', { 'aria-label': `Role of message ${at + 1}` }, ROLES.map(name => element('option', { value: name, text: name })));
  role.value = one.role;
  role.addEventListener('change', () => { one.role = role.value; again(); });
  const text = element('textarea', { rows: 2, 'aria-label': `Message ${at + 1}`, dir: 'auto', value: one.content });
  text.addEventListener('change', () => { one.content = text.value; again(); });
  const remove = element('button', { type: 'button', text: 'Remove', 'aria-label': `Remove message ${at + 1}`, onclick: () => { said.splice(at, 1); again(); } });
  return element('div', { class: 'message' }, role, ' ', remove, text);
}

export function show(panel, answer, state, change) {
  const again = () => change({});
  const rows = known(answer.vocabulary);
  const owner = new Array(answer.ids.length).fill(0);
  answer.spans.forEach(([start, end], at) => owner.fill(at + 1, start, end));
  const list = new TokenList('Tokens of the conversation', {
    count: answer.ids.length,
    shown: i => rows.get(answer.ids[i])[1],
    below: i => (owner[i] ? `${answer.ids[i]} #${owner[i]}` : String(answer.ids[i])),
    kind: () => '',
    label: i => `${visible(rows.get(answer.ids[i])[1])}, id ${answer.ids[i]}, ${owner[i] ? `message ${owner[i]}` : 'of the template'}`,
  });
  const add = element('button', { type: 'button', text: 'Add a message', onclick: () => { said.push({ role: 'user', content: '' }); again(); } });
  const box = element('input', { type: 'checkbox' });
  box.checked = generates;
  box.addEventListener('change', () => { generates = box.checked; again(); });
  const own = !('template' in asks(state, [], change.infos()).body);
  panel.replaceChildren(
    ...said.map((one, at) => message(one, at, again)),
    element('div', { class: 'fields' }, add, element('label', { class: 'check' }, box, ' End with what begins an answer')),
    element('p', { class: 'note', text: own ? "By the file's own template." : 'The file has no chat template: this is a plain one.' }),
    element('h3', { text: 'Text' }), element('p', {}, element('bdi', { class: 'piece', text: answer.text })),
    element('h3', { text: `${answer.count} tokens` }), list.node,
    element('p', { class: 'note', text: '#1 marks the tokens of the first message; others are of the template.' }));
  return () => list.close();
}
