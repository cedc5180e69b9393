// Reads JSON of the server's endpoints, below the folder that this file is served from.

/** Where the server is: `/`, or the prefix it stands behind. */
export const root = new URL('../', import.meta.url);
/** Milliseconds after which an answer is given up. */
const PATIENCE = 15_000;
/** Names that are asked for at a time, and in all on one page. */
const NAMES_AT_ONCE = 4;
const MOST_NAMES = 60;

/** An answer that did not come, or that refuses; `code` is the problem's, or `offline`, `slow` or `unreadable`; `fields` name what is wrong. */
export class ReadError extends Error {
  constructor(message, { code, status = 0, fields = [] }) {
    super(message);
    this.code = code;
    this.status = status;
    this.fields = fields;
  }
}

/** The address of something below the root: segments are encoded, members of the query that are undefined left out. */
export function at(path, query = {}) {
  const [first, ...rest] = [path].flat();
  const whole = [first.replace(/^\//, ''), ...rest.map((one) => encodeURIComponent(one))].join('/');
  const asked = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return root.href + whole + (asked.length > 0 ? `?${new URLSearchParams(asked)}` : '');
}

const access = {
  server: 'aggregator',
  headers: () => ({}),
  refused: undefined,
  nameFor: async (id) => (await readIfThere(['agents', id, 'profile']))?.name,
};

/**
 * How the pages of a node reach it: `server` is its word, `headers()` those of each call. `refused(headers)` is told of a 401 and
 * resolves when another call may fare better; `nameFor(id)` finds the name of an agent.
 */
export function reach(how) {
  Object.assign(access, how);
}

/** The JSON at an address; rejects with a `ReadError`. */
export function read(path, query) {
  return call('GET', path, { query });
}

/**
 * The JSON of an answer, or its `bytes`, undefined where it has none; rejects with a `ReadError`, unless `statuses` has its status. As an
 * `answer` it is status, type and text of whatever came but 401.
 */
export async function call(method, path, { query, body, headers, patience = PATIENCE, as, statuses = [] } = {}) {
  const sent = method === 'GET' ? sentWith(at(path, query)) : undefined;
  if (sent !== undefined) return sent;
  for (;;) {
    const shown = access.headers();
    const all = { accept: 'application/json', ...shown, ...headers };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    if (body !== undefined) all['content-type'] = 'application/json';
    let response;
    try {
      const url = at(path, query);
      const signal = AbortSignal.timeout(patience);
      response = await (begun(method, url) ??
        fetch(url, { method, headers: all, cache: 'no-cache', signal, ...content }));
      if (response.ok || statuses.includes(response.status) || (as === 'answer' && response.status !== 401))
        return await contentOf(response, as);
    } catch (error) {
      throw failureOf(error, patience);
    }
    if (response.status !== 401 || !access.refused) throw await refusalOf(response);
    await access.refused(shown);
  }
}

/** The facts that the document has of an address, once; undefined where it has none. */
function sentWith(url) {
  if (!globalThis.meshSent?.delete(url)) return undefined;
  const facts = document.querySelector('[data-facts]')?.dataset.facts;
  return facts ? JSON.parse(facts) : undefined;
}

/** What `begin.js` has asked already, once. */
function begun(method, url) {
  const answer = method === 'GET' ? globalThis.meshEarly?.get(url) : undefined;
  if (answer) globalThis.meshEarly.delete(url);
  return answer;
}

let mesh;

/** Which mesh this is, read once for a page. */
export function readNetwork() {
  mesh ??= read('network').catch((error) => {
    mesh = undefined;
    throw error;
  });
  return mesh;
}

/** The text at an address, as it stands. */
export function readText(path, query) {
  return call('GET', path, { query, as: 'text', headers: { accept: 'application/x-ndjson' }, patience: 60_000 });
}

/** The JSON at an address, and undefined where there is nothing. */
export async function readIfThere(path, query) {
  try {
    return await read(path, query);
  } catch (error) {
    if (error.status === 404) return undefined;
    throw error;
  }
}

async function contentOf(response, as) {
  if (as === 'text') return response.text();
  if (as === 'answer')
    return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
  if (as === 'bytes') return new Uint8Array(await response.arrayBuffer());
  return response.status === 204 ? undefined : response.json();
}

function failureOf(error, patience) {
  if (error.name === 'TimeoutError')
    return new ReadError(`The ${access.server} did not answer in ${patience / 1_000} seconds.`, { code: 'slow' });
  if (error instanceof SyntaxError) return new ReadError('The answer is no JSON.', { code: 'unreadable' });
  return new ReadError(`The ${access.server} cannot be reached.`, { code: 'offline' });
}

async function refusalOf(response) {
  const { status } = response;
  const problem = await response.json().catch(() => ({}));
  const message = typeof problem.detail === 'string' ? problem.detail : problem.title;
  return new ReadError(typeof message === 'string' ? message : `The ${access.server} answered ${status}.`, {
    code: typeof problem.code === 'string' ? problem.code : `http_${status}`,
    status,
    fields: Array.isArray(problem.fields) ? problem.fields : [],
  });
}

const names = new Map();
const hosts = new Map();
const asked = [];
let asking = 0;

/** Remembers names and hosts that came with an answer. */
export function learnNames(rows) {
  for (const { agent_id: id, name, host } of rows) {
    if (typeof id !== 'string') continue;
    if (name) names.set(id, Promise.resolve(name));
    if (typeof host === 'string') hosts.set(id, host);
  }
}

/** The node that acts for an agent, as far as an answer has told. */
export function hostOf(id) {
  return hosts.get(id);
}

/** The name that an agent gave itself; undefined for none, and where too many were asked for. */
export function nameOf(id) {
  const known = names.get(id);
  if (known) return known;
  if (names.size >= MOST_NAMES) return Promise.resolve(undefined);
  const name = new Promise((resolve) => asked.push({ id, resolve }));
  names.set(id, name);
  askNext();
  return name;
}

function askNext() {
  if (asking >= NAMES_AT_ONCE || asked.length === 0) return;
  asking += 1;
  const { id, resolve } = asked.shift();
  access
    .nameFor(id)
    .then(
      (name) => resolve(name || undefined),
      () => resolve(undefined),
    )
    .finally(() => {
      asking -= 1;
      askNext();
    });
}
