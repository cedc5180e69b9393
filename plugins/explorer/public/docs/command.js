// The call of an operation as a line for a shell, and as a request of this browser.
import { root } from '../data.js';

/** The values that stand in the API document as examples: of parameters by place and name, and of the body. */
export function examplesOf({ parameters = [], requestBody }) {
  const values = { path: {}, query: {}, header: {} };
  for (const { name, in: where, required, example } of parameters)
    if (values[where] && (required || where === 'path')) values[where][name] = String(example ?? '');
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const { example } = media ?? {};
  return { ...values, type, body: typeof example === 'string' ? example : example && JSON.stringify(example, null, 2) };
}

/** The fault of a value with which the call would go to another route, since `.` and `..` fold a path; undefined when there is none. */
export function pathFault({ path: values }) {
  const [name, value] = Object.entries(values).find(([, one]) => one === '.' || one === '..') ?? [];
  return name === undefined ? undefined : `${name}: ${value} is no value in a path; the call would go to another route`;
}

/** The path with its parameters and query, below the root. Throws a RangeError where a value would lead elsewhere. */
export function targetOf({ path }, values) {
  const fault = pathFault(values);
  if (fault) throw new RangeError(fault);
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values.path[name] || name));
  const query = new URLSearchParams(Object.entries(values.query).filter(([, value]) => value !== ''));
  return query.size > 0 ? `${filled}?${query}` : filled;
}

/** `$API_SECRET` and `$AGENT_TOKEN` stand for what nobody else shall read. In place of a call that would go elsewhere stands a comment. */
export function commandLine(placed, values) {
  const fault = pathFault(values);
  if (fault) return `# ${fault}`;
  const { method, operation } = placed;
  const url = new URL(targetOf(placed, values).slice(1), root).href;
  const guards = guardsOf(operation);
  const credential = `-H "authorization: Bearer ${guards.includes('agent') ? '$AGENT_TOKEN' : '$API_SECRET'}"`;
  const shown = guards.length > 0 ? [credential] : [];
  if (operation['x-frame']) return ['npx wscat', ...shown, '-c', quoted(url.replace(/^http/, 'ws'))].join(' ');
  const verb = method === 'get' ? [] : ['-X', method.toUpperCase()];
  if (operation['x-event']) verb.push('-N');
  const headers = Object.entries(values.header).filter(([, value]) => value !== '');
  return [
    ...['curl', ...verb, quoted(url), ...shown],
    ...headers.flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]),
    ...(values.body === undefined
      ? []
      : ['-H', quoted(`content-type: ${values.type}`), '-d', quoted(compact(values.body))]),
  ].join(' ');
}

export function guardsOf({ security }) {
  return (security ?? []).flatMap((one) => Object.keys(one));
}

function compact(text) {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function quoted(text) {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
