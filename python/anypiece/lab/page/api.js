// Requests to the server that this page came from, and to no other.

let token = '';

export function useToken(given) {
  token = given;
}

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function answered(answer) {
  if (answer.ok) return answer.json();
  let message = `The server answers ${answer.status}.`;
  try {
    message = (await answer.json()).error.message;
  } catch {
    // the answer was no JSON
  }
  throw new Refused(answer.status, message);
}

function headers(more) {
  return token ? { ...more, authorization: `Bearer ${token}` } : more;
}

export async function ask(path, value, signal) {
  const options = { method: 'POST', headers: headers({ 'content-type': 'application/json' }), body: JSON.stringify(value), signal };
  return answered(await fetch(path, options));
}

export async function get(path) {
  return answered(await fetch(path, { headers: headers({}) }));
}

export async function send(name, file) {
  const path = `/v1/tokenizers?name=${encodeURIComponent(name)}`;
  const options = { method: 'POST', headers: headers({ 'content-type': 'application/octet-stream' }), body: file };
  return answered(await fetch(path, options));
}
