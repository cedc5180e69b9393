import { readFileSync } from 'node:fs';
import { type Api, type Operation, type Parameter, resolved, type Schema } from './operations.ts';
import { pascal } from './words.ts';

const MARK = '# Generated from docs/openapi-*.json by `npm run clients`. Do not edit below this line.\n';
const KEYWORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import in is
  lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);
/** The options of every call; a member of this name would have to give way. */
const OPTIONS = ['key', 'timeout', 'stop', 'self'];
const TYPES: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  array: 'List[Any]',
  object: 'Dict[str, Any]',
};
const RESULTS: Readonly<Record<Operation['answer'], string>> = {
  object: 'Dict[str, Any]',
  list: 'List[Any]',
  value: 'Any',
  text: 'str',
  bytes: 'bytes',
  nothing: 'None',
  socket: 'Iterator[Dict[str, Any]]',
  events: 'Iterator[Dict[str, Any]]',
};
const WIDTH = 130;

/** clients/python/agent_mesh.py: its first half as it is, and the second from the documents. */
export function pythonOf(apis: { readonly node: Api; readonly aggregator: Api }): string {
  const text = readFileSync(new URL('../python/agent_mesh.py', import.meta.url), 'utf8');
  const end = text.indexOf(MARK);
  if (end < 0) throw new Error(`clients/python/agent_mesh.py has no line "${MARK.trim()}"`);
  const parts = Object.entries(apis).map(([profile, api]) => clientOf(profile as keyof typeof apis, api));
  return text.slice(0, end) + MARK + parts.join('');
}

function clientOf(profile: 'node' | 'aggregator', api: Api): string {
  const groups = new Map<string, Operation[]>();
  for (const one of api.operations) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  const ordered = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  const title = profile === 'node' ? 'Node' : 'Aggregator';
  const classOf = (group: string) => `_${title}${pascal(group)}`;
  const classes = ordered.map(
    ([group, operations]) =>
      `\n\nclass ${classOf(group)}(_Group):\n${operations.map((one) => methodOf(one, api)).join('\n')}`,
  );
  const members = ordered.map(([group]) => `        self.${snake(group)} = ${classOf(group)}(self)\n`);
  const about = profile === 'node' ? 'A node’s local API' : 'An aggregator’s public API';
  return `${classes.join('')}

class ${title}(_Client):
    """${about}: every operation, in the group of the plugin that declares it."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(url, **options)
${members.join('')}`;
}

function methodOf(operation: Operation, { schemas }: Api): string {
  const { name, method, path, parts, query, headers, body, bodySchema, answer, key, signed, state, cursor } = operation;
  const members = body === 'json' ? membersOf(bodySchema!, schemas) : [];
  const named = [...members, ...query, ...headers];
  const twice = named.map((one) => nameOf(one)).filter((one, place, all) => all.indexOf(one) !== place);
  const reserved = body === 'bytes' ? [...OPTIONS, 'data'] : OPTIONS;
  const taken = [...named, ...parts].map((one) => nameOf(one)).filter((one) => reserved.includes(one));
  if (twice.length + taken.length > 0) {
    throw new Error(`${method} ${path}: the names ${[...twice, ...taken]} mean two things in Python`);
  }
  const streams = answer === 'socket' || answer === 'events';
  const given = [
    ...parts.map((one) => `${nameOf(one)}: ${typeOf(one.schema, schemas, true)}`),
    ...(body === 'bytes' ? ['data: bytes'] : []),
  ];
  const byName = [
    ...named.filter(({ required }) => required).map((one) => `${nameOf(one)}: ${typeOf(one.schema, schemas)}`),
    ...named
      .filter(({ required }) => !required)
      .map((one) => `${nameOf(one)}: Optional[${typeOf(one.schema, schemas)}] = None`),
    ...(streams
      ? ['stop: Any = None']
      : [...(key ? ['key: Optional[str] = None'] : []), 'timeout: Optional[float] = None']),
  ];
  const target = path.replace(/\{(\w+)(\*?)\}/g, '%s');
  const pathText =
    parts.length === 0
      ? JSON.stringify(path)
      : `${JSON.stringify(target)} % (${parts.map((one) => partOf(one, path)).join(', ')},)`;
  const call = streams
    ? `self._client._frames(${pathText}, ${dictionary(query)}, ${cursor ? JSON.stringify(cursor) : 'None'}, stop, ${answer === 'socket' ? '_WebSocket' : '_Events'})`
    : `self._client._call(${[
        JSON.stringify(method),
        pathText,
        JSON.stringify(answer),
        ...(query.length > 0 ? [`query=${dictionary(query)}`] : []),
        ...(headers.length > 0 ? [`headers=${dictionary(headers)}`] : []),
        ...(body === 'json' ? [`body=${dictionary(members)}`] : []),
        ...(body === 'bytes' ? ['body=data'] : []),
        ...(key ? ['once=True', 'key=key'] : []),
        ...(signed ? ['signed=True'] : []),
        ...(state ? ['also=503'] : []),
        'timeout=timeout',
      ].join(', ')})`;
  const signature = ['self', ...given, '*', ...byName];
  return `    def ${safe(snake(name))}(
${signature.map((one) => `        ${one},\n`).join('')}    ) -> ${RESULTS[answer]}:
${documented(operation, named)}        return ${call}
`;
}

function documented({ method, path, summary }: Operation, named: readonly Parameter[]): string {
  const lines = named.flatMap((one) => {
    const said = one.description?.split('\n')[0];
    return said ? [`${nameOf(one)}: ${said}`] : [];
  });
  const head = `${method} ${path}${summary === '' ? '' : `: ${summary}`}`;
  const wrapped = (text: string, indent: string) => wrap(quoted(text), WIDTH, indent);
  if (lines.length === 0) return `        """${wrapped(head, '        ')}"""\n`;
  return `        """${wrapped(head, '        ')}\n\n${lines
    .map((one) => `        ${wrapped(one, '            ')}\n`)
    .join('')}        """\n`;
}

function membersOf(schema: Schema, schemas: Readonly<Record<string, Schema>>): Parameter[] {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  return Object.entries(properties as Record<string, Schema>).map(([name, inner]) => {
    const description = inner['description'] ?? resolved(inner, schemas)['description'];
    return { name, required: required.includes(name), schema: inner, ...(description && { description }) };
  });
}

function typeOf(schema: Schema, schemas: Readonly<Record<string, Schema>>, isPart = false): string {
  const { type } = resolved(schema, schemas);
  if (isPart) return type === 'integer' ? 'int' : 'str';
  return TYPES[type as string] ?? 'Any';
}

function partOf(one: Parameter, path: string): string {
  const rest = path.includes(`{${one.name}*}`) ? ', True' : '';
  return `_part(${JSON.stringify(one.name)}, ${nameOf(one)}${rest})`;
}

function dictionary(named: readonly Parameter[]): string {
  return `{${named.map((one) => `${JSON.stringify(one.name)}: ${nameOf(one)}`).join(', ')}}`;
}

function nameOf({ name }: Parameter): string {
  return safe(snake(name));
}

function safe(name: string): string {
  return KEYWORDS.has(name) ? `${name}_` : name;
}

function snake(words: string): string {
  return words.replaceAll('-', '_');
}

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, "'");
}

/** Lines of at most so many characters, those after the first indented. */
function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + word.length + indent.length + 1 > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${indent}`);
}
