import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  apiOf,
  type Operation,
  type Parameter,
  readApi,
  resolved,
  type Schema,
} from '../../clients/generate/operations.ts';
import { camel } from '../../clients/generate/words.ts';
import { AggregatorClient } from '../../core/client/aggregator-client.ts';
import { NodeClient } from '../../core/client/node-client.ts';
import { hasPython, runPython } from './support/python.ts';

interface Heard {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const PART = '7';
const ANSWERS: Readonly<Record<string, string>> = {
  object: '{"is":"object"}',
  list: '[1]',
  value: '1',
  text: 'text',
  bytes: 'bytes',
  nothing: '',
};

/** Something for every argument; parameters by their name. */
function argumentsOf(one: Operation, schemas: Readonly<Record<string, Schema>>) {
  const filler = ({ name }: Parameter) => (name === 'x-signature' ? 'ab' : 1);
  const asked = Object.fromEntries([...one.query, ...one.headers].map((each) => [each.name, filler(each)]));
  const members = Object.keys(one.bodySchema ? (resolved(one.bodySchema, schemas)['properties'] ?? {}) : {});
  return { parts: one.parts.map(() => PART), asked, body: Object.fromEntries(members.map((name) => [name, name])) };
}

function targetOf(one: Operation, asked: Record<string, unknown>): string {
  const query = new URLSearchParams(
    Object.fromEntries(one.query.map(({ name }) => [name, String(asked[name])])),
  ).toString();
  return `${one.method} ${one.path.replace(/\{\w+\*?\}/g, PART)}${query === '' ? '' : `?${query}`}`;
}

function check(one: Operation, heard: Heard, asked: Record<string, unknown>, body: object): void {
  assert.equal(heard.line, targetOf(one, asked));
  assert.equal(heard.headers['idempotency-key'] !== undefined, one.key, 'idempotency key');
  const credential = one.signed ? /^Bearer \S+\.\S+\.\S+$/ : /^Bearer the-secret$/;
  assert.match(heard.headers.authorization ?? '', credential);
  for (const { name } of one.headers) assert.equal(heard.headers[name.toLowerCase()], String(asked[name]));
  if (one.body === 'json') assert.deepEqual(JSON.parse(heard.body), body);
  if (one.body === 'bytes') assert.equal(heard.body, 'abc');
}

describe('every operation of the API documents', () => {
  const heard: Heard[] = [];
  let answer = '';
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => {
      body += data;
    });
    request.on('end', () => {
      heard.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      response.end(answer === 'by path' ? answerFor(request.method!, request.url!) : answer);
    });
  });
  const byLine = new Map<string, string>();
  const answerFor = (method: string, url: string) => byLine.get(`${method} ${url}`) ?? '';
  before((listening) => void server.listen(0, '127.0.0.1', listening));
  after((closed) => {
    server.closeAllConnections();
    server.close(closed);
  });
  beforeEach(() => {
    heard.length = 0;
    byLine.clear();
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  for (const profile of ['node', 'aggregator'] as const) {
    const api = apiOf(profile);
    const calls = api.operations.filter(({ answer: kind }) => kind !== 'socket' && kind !== 'events');

    it(`of the ${profile} profile is one of the clients', but for those that speak no JSON`, () => {
      assert.deepEqual(api.omitted, ['GET /mesh']);
      const client = profile === 'node' ? new NodeClient({ url: url() }) : new AggregatorClient({ url: url() });
      const names = Object.entries(client.api).flatMap(([group, all]) =>
        Object.keys(all as object).map((name) => `${group}.${name}`),
      );
      assert.deepEqual(names.sort(), api.operations.map((one) => `${camel(one.group)}.${camel(one.name)}`).sort());
    });

    it(`of the ${profile} profile is asked for by the JavaScript client as it is declared`, async () => {
      const options = { url: url(), secret: 'the-secret', sign: () => 'a.b.c' };
      const client: any = profile === 'node' ? new NodeClient(options) : new AggregatorClient(options);
      for (const one of calls) {
        const { parts, asked, body } = argumentsOf(one, api.schemas);
        answer = ANSWERS[one.answer]!;
        const given: unknown[] = [...parts];
        if (one.body === 'json') given.push(body);
        if (one.body === 'bytes') given.push(new TextEncoder().encode('abc'));
        if (Object.keys(asked).length > 0) given.push(asked);
        const got = await client.api[camel(one.group)][camel(one.name)](...given);
        check(one, heard.at(-1)!, asked, body);
        if (one.answer === 'bytes') assert.equal(new TextDecoder().decode(got), 'bytes');
        else if (one.answer === 'nothing') assert.equal(got, undefined);
        else assert.deepEqual(got, one.answer === 'text' ? 'text' : JSON.parse(answer));
      }
      assert.equal(heard.length, calls.length);
    });

    it(`of the ${profile} profile is asked for by the Python client as it is declared`, async function () {
      if (!hasPython()) {
        process.stderr.write('NOT TESTED: the operations of the Python client, because this machine has no python3\n');
        this.skip();
      }
      const plans = calls.map((one) => {
        const { parts, asked, body } = argumentsOf(one, api.schemas);
        byLine.set(targetOf(one, asked), ANSWERS[one.answer]!);
        return { group: snake(one.group), name: snake(one.name), parts, named: { ...asked, ...body }, bytes: one.body };
      });
      answer = 'by path';
      const got = await runPython(
        `
import keyword
class Device:
    agent_id = 'agent'
    def sign(self, data): return b'0' * 64
client = (Node if given['profile'] == 'node' else Aggregator)(given['url'], secret='the-secret', key=Device())
fitting = lambda name: name.replace('-', '_') + ('_' if keyword.iskeyword(name) else '')
result = []
for plan in given['plans']:
    call = getattr(getattr(client, plan['group']), plan['name'])
    data = [b'abc'] if plan.get('bytes') == 'bytes' else []
    value = call(*plan['parts'], *data, **{fitting(name): value for name, value in plan['named'].items()})
    result.append(value.decode() if isinstance(value, bytes) else value)
`,
        { profile, url: url(), plans },
      );
      for (const [place, one] of calls.entries()) {
        const { asked, body } = argumentsOf(one, api.schemas);
        check(one, heard[place]!, asked, body);
        const wanted = { nothing: null, text: 'text', bytes: 'bytes' }[one.answer as string];
        assert.deepEqual(got[place], wanted === undefined ? JSON.parse(ANSWERS[one.answer]!) : wanted, one.path);
      }
    });
  }

  it('may be server-sent events, have the rest of a path, and words of any spelling', () => {
    const parameters = [{ name: 'file', in: 'path', required: true, 'x-wildcard': true, schema: { type: 'string' } }];
    const spec = { operationId: 'radio-two.playAll', parameters, security: [], responses: {} };
    const document = { components: { schemas: {} }, paths: { '/radio/{file}': { get: { ...spec, 'x-event': {} } } } };
    const { operations } = readApi(document);
    const [{ group, name, path, answer: kind } = {} as Operation] = operations;
    assert.deepEqual([group, name, path, kind], ['radio-two', 'play-all', '/radio/{file*}', 'events']);
  });
});

function snake(words: string): string {
  return words.replaceAll('-', '_');
}
