import assert from 'node:assert/strict';
import fc from 'fast-check';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { tokenSigner } from '../../core/protocol/signer/token-signer.ts';
import { apiDocument, DocumentSchemas, type Operation, operationsOf } from './api-document.ts';
import { type Answered, type Asked, HttpCaller } from './http-caller.ts';
import { Judge } from './judge.ts';
import { mutationsOf, placesOf } from './mutations.ts';
import { OF_HOSTED, SECRETS, startProcess, type TestProcess } from './processes.ts';
import { answers, asRead, bodyOf, isWrongText, PATH_JUNK, QUERY_JUNK, targetOf, typeOf } from './requests.ts';

const JSON_TYPE = 'application/json';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const EXAMPLE_DEAL = '000102030405060708090a0b0c0d0e0f';
const SEED = 20_260_101;
/** Answer in the words of their own protocols; test/plugins/mcp and test/plugins/a2a have their hostile calls. */
const OWN_WORDS = /^POST \/mcp$|^[A-Z]+ \/a2a\/(hire\/)?\{agent\}(\/\{path\})?$|^[A-Z]+ \/ard\//;
/** A secret may also stand in the body, which is read when there is no header with it; a ping may have none. */
const WITHOUT_HEADER = ['POST /hosting/register', 'GET /hosted/ping'];
/** Calls after which the token that they were made with holds no more. */
const ENDS_TOKEN = ['POST /hosted/session/rotate', 'DELETE /hosted/session'];

/** Operations that tell the state of the ledger or of a service before they look at a request: there is neither here. */
const UNSERVED: ReadonlySet<string> = new Set([
  'GET /launchpad/pool/{token_mint}',
  'POST /billing/deposit',
  'POST /billing/set-payout',
  'POST /billing/withdraw',
  'POST /launchpad/chart-listing/list',
  'POST /launchpad/claim',
  'POST /launchpad/launch',
  'POST /launchpad/swap/execute',
  'POST /sponsor/fee-share-config',
  'POST /trade/dca/create',
  'POST /trade/limit/cancel',
  'POST /trade/limit/create',
  'POST /trade/swap',
  'POST /trade/swap/confirm/{swap_id}',
]);

for (const profile of ['node', 'aggregator'] as const) {
  const document = apiDocument(profile);
  const schemas = new DocumentSchemas(document);
  const everywhere = new Judge(schemas);
  const all = operationsOf(document);
  const operations = all.filter(({ line }) => !OWN_WORDS.test(line));

  describe(`hostile requests to every route of the ${profile} profile`, () => {
    let running: TestProcess;
    let http: HttpCaller;
    before(async () => {
      running = await startProcess(profile);
      http = new HttpCaller(running.node.url);
      if (profile === 'node') await openExampleDeal(http, running.node.apiSecret);
    });
    after(async () => {
      http.close();
      await running.stop();
    });
    afterEach(() => assert.deepEqual(running.errors, [], 'nothing failed inside'));

    /** What the operation asks for: the node's secret, or a token that a fresh agent signs for just this request. */
    function credential({ spec }: Operation, asked: Pick<Asked, 'method' | 'target' | 'body'>): Record<string, string> {
      if (!(spec.security?.length > 0)) return {};
      const [guard = ''] = spec.security.flatMap((scheme: object) => Object.keys(scheme));
      const signed = guard === 'agent';
      if (OF_HOSTED.includes(guard)) return { authorization: `Bearer ${running.hostedToken}` };
      if (Object.hasOwn(SECRETS, guard)) return { authorization: `Bearer ${SECRETS[guard]}` };
      return { authorization: `Bearer ${signed ? agentToken(running.node.publicUrl, asked) : running.node.apiSecret}` };
    }

    /** The request of the examples, changed. */
    async function ask(operation: Operation, change: Partial<Asked> = {}): Promise<Answered> {
      const asked = { method: operation.method, target: targetOf(operation), ...bodyOf(operation), ...change };
      const fresh = ENDS_TOKEN.includes(operation.line) && {
        authorization: `Bearer ${await running.registerHosted()}`,
      };
      const headers = { ...typeOf(operation), ...credential(operation, asked), ...fresh, ...change.headers };
      return http.call({ ...asked, headers });
    }

    if (profile === 'node') {
      it('takes a conversation id in either case', async () => {
        for (const line of ['POST /negotiate/counter', 'POST /negotiate/accept', 'POST /deliver', 'POST /feedback']) {
          const operation = operations.find((one) => one.line === line)!;
          const body = bodyOf(operation).body!.replace(EXAMPLE_DEAL, EXAMPLE_DEAL.toUpperCase());
          everywhere.problem(await ask(operation, { body }), 409);
        }
      });
    }

    for (const operation of operations.filter(({ line }) => !line.startsWith('WS '))) {
      const { spec, method } = operation;
      const body = spec.requestBody?.content[JSON_TYPE];

      describe(operation.line, () => {
        const judge = new Judge(schemas, UNSERVED.has(operation.line));
        it('answers the request of its own examples as documented', async () => {
          judge.documented(operation, await ask(operation));
        });

        it('refuses malformed percent escapes', async () => {
          const base = targetOf(operation).split('?')[0];
          for (const end of ['%', '%zz', '%ff', '?q=%', '?%c3%28=1']) {
            everywhere.problem(await ask(operation, { target: base + end }), 400);
          }
        });

        it('takes any path parameter without failing', async () => {
          for (const { name, schema } of spec.parameters.filter((one: any) => one.in === 'path')) {
            for (const text of PATH_JUNK) {
              const answer = await ask(operation, { target: targetOf(operation, { [name]: text }) });
              if (text === '') continue;
              judge.documented(operation, answer);
              const value = decodeURIComponent(text);
              if (schemas.problems(schema, value).length > 0) judge.refusedField(answer, `/${name}`);
            }
          }
        });

        it('takes any query without failing, and names the parameter it refuses', async () => {
          const base = targetOf(operation).split('?')[0]!;
          const given = spec.parameters.filter((one: any) => one.in === 'query');
          const needed = given.filter((one: any) => one.required);
          for (const { name, schema } of given) {
            const others = needed.filter((one: any) => one.name !== name).map((one: any) => [one.name, one.example]);
            for (const value of QUERY_JUNK) {
              // A token names the address it is for, and has a length of its own.
              if (value.length > 2_000 && isSigned(operation)) continue;
              const query = new URLSearchParams([...others, [name, value]]);
              const answer = await ask(operation, { target: `${base}?${query}` });
              await noted(`${name}=${value.slice(0, 40)}`, () => {
                judge.documented(operation, answer);
                if (isWrongText(schemas, schema, value)) judge.refusedField(answer, `/${name}`);
              });
            }
            const twice = new URLSearchParams([...others, [name, 'a'], [name, 'b']]);
            judge.documented(operation, await ask(operation, { target: `${base}?${twice}` }));
            if (needed.some((one: any) => one.name === name)) {
              judge.refusedField(
                await ask(operation, { target: `${base}?${new URLSearchParams(others)}` }),
                `/${name}`,
              );
            }
          }
          for (const query of [
            '?__proto__=1&constructor=2',
            '?limit[]=1&limit[a]=2',
            '?&&=&=1',
            `?${'x=1&'.repeat(500)}`,
          ]) {
            judge.documented(operation, await ask(operation, { target: base + query }));
          }
        });

        it('refuses other methods and says which there are', async () => {
          const known = all.filter((one) => answers(one, targetOf(operation))).map((one) => one.method);
          for (const other of METHODS.filter((one) => !known.includes(one))) {
            const target = targetOf(operation);
            const asked = { method: other, target };
            const answer = await http.call({ ...asked, headers: credential(operation, asked) });
            judge.problem(answer, 405);
            assert.equal(answer.headers['allow']?.includes(method), true);
          }
        });

        if (spec.security?.length > 0) {
          it('asks for the secret before it looks at anything else', async () => {
            for (const authorization of [
              '',
              'Bearer',
              'Bearer wrong',
              'Bearer a b',
              'Basic YTpi',
              `Bearer ${'x'.repeat(5_000)}`,
            ]) {
              const headers = { 'content-type': JSON_TYPE, ...(authorization && { authorization }) };
              const target = targetOf(operation);
              const sent = body ? { body: '{' } : {};
              if (!authorization && WITHOUT_HEADER.includes(operation.line)) continue;
              judge.problem(await http.call({ method, target, headers, ...sent }), 401);
            }
          });
        }

        if (body) describeBody(operation, body, ask, judge);
      });
    }

    function describeBody(operation: Operation, { schema, example }: any, send: typeof ask, judge: Judge): void {
      const places = placesOf(schemas, schema);

      it('refuses what is no JSON, no JSON of its own, or too large', async () => {
        for (const text of ['{', '', '{"a":1', "{'a':1}", '{"a":NaN}', '\ufeff{}x', '{"a":1}{"b":2}', '//', '\u0000']) {
          const answer = await send(operation, { body: text });
          if (text === '') judge.documented(operation, answer);
          else judge.refusedField(answer, '');
        }
        judge.problem(await send(operation, { body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) }), 400);
        for (const text of ['null', 'true', '1', '"text"', '[]', '[{}]']) {
          judge.refusedField(await send(operation, { body: text }), '');
        }
        judge.problem(await send(operation, { body: `"${'x'.repeat(mostOf(operation))}"` }), 413);
      });

      it('refuses other content types and encodings', async () => {
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/json; charset=utf-16',
          '',
          'application/jsonx',
        ]) {
          judge.problem(await send(operation, { headers: { 'content-type': type } }), 415);
        }
        judge.problem(await send(operation, { headers: { 'content-encoding': 'gzip' } }), 415);
      });

      it('refuses keys that no idempotency key can be', async () => {
        if (!operation.spec.parameters.some((one: any) => one.name === 'Idempotency-Key')) return;
        for (const key of ['', ' ', 'a b', 'x'.repeat(256), '\u00e9']) {
          judge.problem(await send(operation, { headers: { 'idempotency-key': key } }), 400);
        }
      });

      it('takes repeated and unknown members without failing', async () => {
        const text = JSON.stringify(example);
        const [name, value] = Object.entries(example)[0]!;
        const doubled = `${text.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`;
        judge.documented(operation, await send(operation, { body: doubled }));
        const extra = JSON.stringify({ ...example, a_member_nobody_knows: 1 });
        const answer = await send(operation, { body: extra });
        if (schemas.problems(schema, JSON.parse(extra)).length > 0) {
          judge.refusedField(answer, '/a_member_nobody_knows');
        } else judge.documented(operation, answer);
      });

      it('names the member when any one of them is wrong', async () => {
        for (const { what, text, pointer } of mutationsOf(example, places)) {
          const answer = await send(operation, { body: text });
          await noted(what, () => {
            judge.documented(operation, answer);
            if (text.length > mostOf(operation)) return judge.problem(answer, 413);
            const wrong = schemas.pointers(schema, asRead(JSON.parse(text)));
            if (wrong.length > 0) judge.refusedField(answer, pointer, ...wrong);
          });
        }
      });

      it('takes random bodies without failing', async () => {
        const member = fc.constantFrom(...places.map(({ pointer }) => pointer.split('/')[1]!), 'other');
        const random = fc.dictionary(member, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 });
        await fc.assert(
          fc.asyncProperty(random, async (given) => {
            const mixed = { ...example, ...given };
            const answer = await send(operation, { body: JSON.stringify(mixed) });
            judge.documented(operation, answer);
            const wrong = schemas.pointers(schema, asRead(mixed));
            if (wrong.length > 0) judge.refusedField(answer, ...wrong);
          }),
          { seed: SEED, numRuns: 60 },
        );
      });
    }
  });
}

function isSigned({ spec }: Operation): boolean {
  return (spec.security ?? []).some((scheme: object) => 'agent' in scheme);
}

function mostOf({ spec }: Operation): number {
  return spec.requestBody['x-max-bytes'] ?? 65_536;
}

async function noted(what: string, check: () => void): Promise<void> {
  try {
    check();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`);
  }
}

function agentToken(
  audience: string,
  { method, target, body = '' }: Pick<Asked, 'method' | 'target' | 'body'>,
): string {
  const agent = identityFromSeed(systemRandom.bytes(32));
  const request = { audience, method, target, body: Buffer.from(body) };
  return tokenSigner(agent, systemClock, systemRandom)(request).token;
}

/** The deal that the examples speak of, so that routes about it have something to answer. */
async function openExampleDeal(http: HttpCaller, secret: string): Promise<void> {
  const operation = operationsOf(apiDocument('node')).find(({ line }) => line === 'POST /negotiate/propose')!;
  const offer = operation.spec.requestBody.content[JSON_TYPE].example;
  const { status, text } = await http.call({
    method: 'POST',
    target: operation.path,
    headers: { 'content-type': JSON_TYPE, authorization: `Bearer ${secret}` },
    body: JSON.stringify({ ...offer, conversation_id: EXAMPLE_DEAL }),
  });
  assert.equal(status, 200, text);
}
