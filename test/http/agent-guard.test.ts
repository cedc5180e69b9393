import assert from 'node:assert/strict';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { definePlugin, MeshError, route, typed } from '../../core/plugin.ts';
import { type AgentTokenClaims, bodyHash, tokenClaims } from '../../core/protocol/signer/agent-token.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { SECRET, type TestNode, testNode } from '../support/node.ts';
import { rawExchange } from '../support/raw-http.ts';

const AUDIENCE = 'https://aggregator.example';
const ann = identityFromSeed(new Uint8Array(32).fill(7));
const bob = identityFromSeed(new Uint8Array(32).fill(8));
const Anything = typed<Record<string, unknown>>({ type: 'object' });

/** A safe that counts what is put in. */
function vault() {
  const state = { deposits: 0, gate: Promise.resolve(), operations: [] as (string | undefined)[] };
  const plugin = definePlugin({
    name: 'vault',
    api: '2.0',
    node: {
      routes: {
        deposit: route('POST /vault', { auth: 'agent', body: Anything, reply: Anything, idempotency: true }),
        drop: route('POST /vault/:slot', { auth: 'agent', body: Anything, reply: Anything }),
        look: route('GET /vault', { auth: 'agent', query: Anything, reply: Anything }),
      },
      setup() {
        async function put(by: string, operationId: string | undefined, body: Record<string, unknown>) {
          await state.gate;
          if (body['fail']) throw new MeshError('conflict');
          state.operations.push(operationId);
          return { by, deposits: ++state.deposits };
        }
        return {
          routes: {
            deposit: ({ principal, operationId, body }) => put(principal.id, operationId, body),
            drop: ({ principal, operationId, body }) => put(principal.id, operationId, body),
            look: ({ principal }) => ({ by: principal.id, deposits: state.deposits }),
          },
        };
      },
    },
  });
  return { plugin, state };
}

interface Shot {
  readonly method?: string;
  readonly target?: string;
  readonly body?: string;
  readonly token?: string;
  readonly headers?: Record<string, string>;
}

describe('the agent guard', () => {
  let node: TestNode;
  let state: ReturnType<typeof vault>['state'];
  beforeEach(async () => {
    const { plugin, state: fresh } = vault();
    state = fresh;
    node = await testNode({ plugins: [plugin], settings: { api: { publicUrl: `${AUDIENCE}/` } } });
  });
  afterEach(() => node.stop());

  const claimsFor = ({ method = 'POST', target = '/vault', body = '{}' }: Shot, now = Date.now()) =>
    tokenClaims(
      ann.address,
      { audience: AUDIENCE, method, target, body: method === 'GET' ? Buffer.alloc(0) : Buffer.from(body) },
      now,
      systemRandom,
    );
  const tokenFor = (shot: Shot, change: Partial<AgentTokenClaims> = {}) =>
    ann.signAgentToken({ ...claimsFor(shot), ...change });

  async function fire(shot: Shot = {}) {
    const { method = 'POST', target = '/vault', body = '{}', token = tokenFor(shot), headers } = shot;
    const response = await fetch(node.url + target, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
      ...(method !== 'GET' && { body }),
    });
    return { status: response.status, body: (await response.json()) as any, headers: response.headers };
  }

  it('knows the agent by its signature', async () => {
    assert.deepEqual((await fire()).body, { by: ann.address, deposits: 1 });
    assert.deepEqual((await fire({ method: 'GET', target: '/vault?a=b%20c' })).body, { by: ann.address, deposits: 1 });
  });

  const now = () => Math.floor(Date.now() / 1_000);
  const REFUSED: [what: string, shot: () => Shot, detail?: RegExp][] = [
    ['no token', () => ({ headers: { authorization: '' } })],
    ['the API secret', () => ({ token: SECRET }), /compact JWS/],
    ['a token in the query', () => ({ target: `/vault?token=${tokenFor({})}`, headers: { authorization: '' } })],
    ['a token for another server', () => ({ token: tokenFor({}, { aud: 'https://other.example' }) }), /another server/],
    ['a token for the address it listens on', () => ({ token: tokenFor({}, { aud: node.url }) }), /another server/],
    ['a token for another method', () => ({ token: tokenFor({ method: 'PUT' }) }), /another request/],
    ['a token for another path', () => ({ token: tokenFor({ target: '/vault/1' }) }), /another request/],
    ['a token for another query', () => ({ token: tokenFor({}), target: '/vault?x=1' }), /another request/],
    ['a token for another body', () => ({ token: tokenFor({}), body: '{"a":1}' }), /another body/],
    [
      'a token that has run out',
      () => ({ token: tokenFor({}, { iat: now() - 400, exp: now() - 100 }) }),
      /expired, not yet valid/,
    ],
    ['a token for too long', () => ({ token: tokenFor({}, { exp: now() + 301 }) }), /valid for too long/],
    ['a token of tomorrow', () => ({ token: tokenFor({}, { iat: now() + 90, exp: now() + 300 }) }), /not yet valid/],
    [
      'a token that somebody else signed',
      () => {
        const [head, payload] = tokenFor({}).split('.');
        return {
          token: `${head}.${payload}.${bob.signAgentToken({ ...claimsFor({}), iss: bob.address }).split('.')[2]}`,
        };
      },
      /signature/,
    ],
  ];
  for (const [what, shot, detail] of REFUSED) {
    it(`refuses ${what}`, async () => {
      const { status, body, headers } = await fire(shot());
      assert.deepEqual([status, body.code], [401, 'unauthorized'], JSON.stringify(body));
      if (detail) assert.match(body.detail, detail);
      assert.equal(headers.get('www-authenticate'), 'Bearer');
      assert.equal(state.deposits, 0);
    });
  }

  it('goes by the configured URL, not by the Host header', async () => {
    const forged = tokenFor({}, { aud: 'http://127.0.0.1' });
    const head = [
      'POST /vault HTTP/1.1',
      'host: 127.0.0.1',
      'content-type: application/json',
      'content-length: 2',
      `authorization: Bearer ${forged}`,
      'connection: close',
    ];
    const answer = await rawExchange(node.port, `${head.join('\r\n')}\r\n\r\n{}`);
    assert.match(answer, /^HTTP\/1\.1 401 /);
    assert.equal(state.deposits, 0);
  });

  it('without a configured URL takes the address it listens on', async () => {
    const { plugin } = vault();
    const other = await testNode({ plugins: [plugin] });
    try {
      const token = tokenFor({ method: 'GET' }, { aud: other.url });
      const response = await fetch(`${other.url}/vault`, { headers: { authorization: `Bearer ${token}` } });
      assert.equal(response.status, 200);
    } finally {
      await other.stop();
    }
  });

  for (const target of ['/vault', '/vault/7']) {
    it(`lets a token have its effect once: POST ${target}`, async () => {
      const shot = { target, body: '{"a":1}' };
      const token = tokenFor(shot);
      const first = await fire({ ...shot, token });
      const again = await fire({ ...shot, token });
      assert.deepEqual([again.status, again.body], [200, first.body]);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
      assert.equal(state.deposits, 1);
      assert.match(state.operations[0]!, /^[0-9a-f]{64}$/);
    });
  }

  it('refuses the same jti with another body, though the agent signed both', async () => {
    const claims = claimsFor({ body: '{"a":1}' });
    await fire({ body: '{"a":1}', token: ann.signAgentToken(claims) });
    const other = ann.signAgentToken({ ...claims, bh: bodyHash(Buffer.from('{"a":2}')) });
    const refused = await fire({ body: '{"a":2}', token: other });
    assert.deepEqual([refused.status, refused.body.code], [401, 'unauthorized']);
    assert.equal(state.deposits, 1);
  });

  it('refuses a captured token under another idempotency key', async () => {
    const token = tokenFor({});
    await fire({ token, headers: { 'idempotency-key': 'k1' } });
    for (const headers of [{ 'idempotency-key': 'k2' }, {}]) {
      assert.equal((await fire({ token, headers })).status, 401);
    }
    assert.equal(state.deposits, 1);
  });

  it('takes a fresh token for a call that is repeated under its key', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const first = await fire({ headers });
    assert.deepEqual((await fire({ headers })).body, first.body);
    assert.equal((await fire({ headers, body: '{"a":1}' })).status, 422);
    assert.equal(state.deposits, 1);
  });

  it('keeps the jti of one agent apart from those of others', async () => {
    const claims = claimsFor({});
    await fire({ token: ann.signAgentToken(claims) });
    const { body } = await fire({ token: bob.signAgentToken({ ...claims, iss: bob.address }) });
    assert.deepEqual(body, { by: bob.address, deposits: 2 });
  });

  it('lets one of many copies run', async () => {
    const token = tokenFor({});
    let release = () => {};
    state.gate = new Promise((resolve) => {
      release = resolve;
    });
    let refused = 0;
    const copies = Array.from({ length: 6 }, async () => {
      const { status } = await fire({ token });
      if (status === 409 && ++refused === 5) release();
      return status;
    });
    assert.deepEqual((await Promise.all(copies)).sort(), [200, 409, 409, 409, 409, 409]);
    assert.equal(state.deposits, 1);
  });

  it('lets the same request be tried again after it failed', async () => {
    const shot = { body: '{"fail":true}' };
    const token = tokenFor(shot);
    assert.equal((await fire({ ...shot, token })).status, 409);
    assert.equal((await fire({ ...shot, token })).body.code, 'conflict');
    assert.equal((await fire({ token })).status, 401);
    assert.equal(state.deposits, 0);
  });

  it('is a security scheme of the API document', async () => {
    const document = (await (await fetch(`${node.url}/openapi.json`)).json()) as any;
    const { type, scheme, bearerFormat } = document.components.securitySchemes.agent;
    assert.deepEqual([type, scheme, bearerFormat], ['http', 'bearer', 'agent-mesh+jwt']);
    const { security, responses } = document.paths['/vault'].post;
    assert.deepEqual(security, [{ agent: [] }]);
    assert.ok(responses['401']);
  });
});
