// What is shown as JSON, Python, a line of curl, or a picture.

import { byId } from './dom.js';

const quoted = value => JSON.stringify(value).replace(/[\u007f-\uffff]/g, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

// A value as Python writes it.
function literal(value) {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object') return `{${Object.entries(value).map(([name, one]) => `${quoted(name)}: ${literal(one)}`).join(', ')}}`;
  return typeof value === 'string' ? python(value) : String(value);
}

// A string of Python: characters beyond ASCII as they are counted there.
function python(text) {
  let found = '"';
  for (const one of text) {
    const point = one.codePointAt(0);
    if (one === '"' || one === '\\') found += `\\${one}`;
    else if (one === '\n') found += '\\n';
    else if (point >= 32 && point < 127) found += one;
    else found += point > 0xffff ? `\\U${point.toString(16).padStart(8, '0')}` : `\\u${point.toString(16).padStart(4, '0')}`;
  }
  return `${found}"`;
}

export function asPython(asked) {
  const calls = {
    '/v1/spans': b => `tok.encode_spans(${literal(b.text)}, specials=${literal(b.specials)})`,
    '/v1/lattice': b => `tok.lattice(${literal(b.text)}, specials=${literal(b.specials)}).marginals(${b.alpha})`,
    '/v1/nbest': b => `tok.nbest(${literal(b.text)}, ${b.n}, specials=${literal(b.specials)})`,
    '/v1/sample': b => `[tok.sample(${literal(b.text)}, ${b.alpha}, seed=${b.seed}, method=${literal(b.method)}, index=i, specials=${literal(b.specials)}) for i in range(${b.n})]`,
    '/v1/explain': b => `tok.explain(${literal(b.text)}, specials=${literal(b.specials)}, add_special=${literal(b.add_special)}).steps`,
    '/v1/chat': b => `tok.encode_chat(${literal(b.messages)}, add_generation_prompt=${literal(b.add_generation_prompt)}${b.template ? `, template=${literal(b.template)}` : ''})`,
    '/v1/compare': b => `[anypiece.load(path).encode_spans(${literal(b.text)}, specials=${literal(b.specials)}) for path in ${literal(b.models)}]`,
  };
  const body = calls[asked.path](asked.body);
  return `import anypiece\n\ntok = anypiece.load()  # or the path of ${python(asked.body.model || 'a file')}\nfound = ${body}\n`;
}

export function asCurl(asked) {
  const body = quoted(asked.body).replaceAll("'", "'\\''");
  return `curl -s '${location.origin}${asked.path}' -H 'content-type: application/json' -d '${body}'\n`;
}


// Put text on the clipboard, or where it can be copied by hand.
export async function copied(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    byId('copied').textContent = `Copied as ${what}.`;
    byId('copy-box').hidden = true;
  } catch {
    byId('copied').textContent = 'The clipboard cannot be used here.';
    byId('copy-box').hidden = false;
    byId('copy-text').value = text;
    byId('copy-text').select();
  }
}
