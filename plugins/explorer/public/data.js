// What the pages read from the aggregator: JSON of its public endpoints, below the folder that this file is served from.

/** Where the aggregator is: `/`, or the prefix it stands behind. */
export const root = new URL('../', import.meta.url);
/** Milliseconds after which an answer is given up. */
const PATIENCE = 15_000;
/** Names that are asked for at a time, and in all on one page. */
const NAMES_AT_ONCE = 4;
const MOST_NAMES = 60;

/** An answer that did not come, or that refuses; `code` is the problem's, or `offline`, `slow` or `unreadable`. */
export class ReadError extends Error {
  constructor(message, { code, status = 0 }) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** The address of something below the root: segments are encoded, members of the query that are undefined left out. */
export function at(path, query = {}) {
  const [first, ...rest] = [path].flat();
  const url = new URL([first.replace(/^\//, ''), ...rest.map((one) => encodeURIComponent(one))].join('/'), root);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') url.searchParams.set(name, value);
  return url.href;
}

/** The JSON at an address; rejects with a `ReadError`. */
export async function read(path, query) {
  let response;
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    response = await fetch(at(path, query), { headers: { accept: 'application/json' }, cache: 'no-cache', signal });
    if (response.ok) return await response.json();
  } catch (error) {
    throw failureOf(error);
  }
  throw await refusalOf(response);
}

/** The same, and undefined where there is nothing. */
export async function readIfThere(path, query) {
  try {
    return await read(path, query);
  } catch (error) {
    if (error.status === 404) return undefined;
    throw error;
  }
}

function failureOf(error) {
  if (error.name === 'TimeoutError')
    return new ReadError(`The aggregator did not answer in ${PATIENCE / 1_000} seconds.`, { code: 'slow' });
  if (error instanceof SyntaxError) return new ReadError('The answer is no JSON.', { code: 'unreadable' });
  return new ReadError('The aggregator cannot be reached.', { code: 'offline' });
}

async function refusalOf(response) {
  const { status } = response;
  const problem = await response.json().catch(() => ({}));
  const message = typeof problem.detail === 'string' ? problem.detail : problem.title;
  return new ReadError(typeof message === 'string' ? message : `The aggregator answered ${status}.`, {
    code: typeof problem.code === 'string' ? problem.code : `http_${status}`,
    status,
  });
}

const names = new Map();
const asked = [];
let asking = 0;

/** Remembers names that came with an answer. */
export function learnNames(rows) {
  for (const { agent_id: id, name } of rows) if (typeof id === 'string' && name) names.set(id, Promise.resolve(name));
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
  readIfThere(['agents', id, 'profile'])
    .then(
      (profile) => resolve(profile?.name || undefined),
      () => resolve(undefined),
    )
    .finally(() => {
      asking -= 1;
      askNext();
    });
}
