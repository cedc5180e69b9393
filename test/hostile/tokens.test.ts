import assert from 'node:assert/strict';
import { createHash, createPrivateKey, randomBytes, sign } from 'node:crypto';
import { Network } from '../../core/internal-services.ts';
import type { Network as NetworkValue } from '../../core/protocol/identity/network.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { Operations } from '../../core/services.ts';
import { TestAgent } from '../aggregator/support/agent.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { rawExchange } from '../support/raw-http.ts';

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const HEADER = '{"alg":"EdDSA","typ":"agent-mesh+jwt"}';

interface Call {
  readonly path: string;
  readonly body: object;
}

/** An agent whose tokens are written by hand, as the protocol has them. */
class Bearer {
  readonly seed = randomBytes(32);
  readonly identity = identityFromSeed(new Uint8Array(this.seed));
  readonly #key = createPrivateKey({ key: Buffer.concat([PKCS8, this.seed]), format: 'der', type: 'pkcs8' });

  get id(): string {
    return this.identity.address;
  }

  claims(audience: string, { path, body }: Call): Record<string, unknown> {
    const iat = Math.floor(Date.now() / 1_000);
    return {
      ...{ iss: this.id, aud: audience, iat, exp: iat + 300, jti: randomBytes(16).toString('base64url') },
      ...{ htm: 'POST', htu: path },
      bh: createHash('sha256').update(JSON.stringify(body)).digest('base64url'),
    };
  }

  token(claims: object, header = HEADER): string {
    const text = [header, JSON.stringify(claims)].map((part) => Buffer.from(part).toString('base64url')).join('.');
    return `${text}.${sign(null, Buffer.from(text), this.#key).toString('base64url')}`;
  }
}

describe('the routes for agents, and tokens by hand', function () {
  this.timeout(60_000);
  let mesh: Mesh<never>;
  let network: NetworkValue;
  const ann = new Bearer();
  const mallory = new Bearer();
  /** Every route that asks for an agent’s token, and a call of it that agent may make. */
  const ROUTES: Record<string, (agent: Bearer) => Call> = {
    'POST /push/sleep': ({ id }) => ({ path: '/push/sleep', body: { agent_id: id, sleeping: true } }),
    'POST /agents/{agent_id}/propose-owner': ({ id, identity }) => {
      const { key, address } = identityFromSeed(new Uint8Array(32).fill(3));
      const [nonce, expires] = [new Uint8Array(8), Math.floor(Date.now() / 1_000) + 3_600];
      const fields = { agent_id: identity.key, owner: key, nonce, expires };
      const signature = Buffer.from(identity.signDomain('owner/1', network, fields)).toString('base64');
      const body = { owner_wallet: address, nonce: Buffer.from(nonce).toString('hex'), expires, signature };
      return { path: `/agents/${id}/propose-owner`, body };
    },
  };

  /** The same guard, with calls of other kinds: held against it where their features are tested. */
  const ELSEWHERE = [
    'GET /agents/{agent_id}/pending',
    'POST /blobs',
    'POST /push/register',
    'POST /sponsor/fee-share-config',
  ];

  before(async () => {
    mesh = await startMesh({ nodes: [], usdc: {} });
    network = mesh.aggregatorNode.get(Network);
    const agents = [ann, mallory].map(({ seed }) => new TestAgent('', Date.now, network, new Uint8Array(seed)));
    const items = agents.map((agent) => agent.beacon('bearer').whole);
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    await fetch(`${url()}/ingest/envelopes`, { ...init, body: JSON.stringify({ items }) });
  });
  after(() => mesh.stop());

  const url = () => mesh.aggregatorNode.url;

  async function call({ path, body }: Call, token: string | undefined, more: Record<string, string> = {}) {
    const headers: Record<string, string> = { 'content-type': 'application/json', ...more };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    const answer = await fetch(url() + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return {
      status: answer.status,
      replayed: answer.headers.get('idempotency-replayed'),
      body: (await answer.json()) as any,
    };
  }

  const read = async (path: string) => (await (await fetch(url() + path)).json()) as any;
  const sleeping = async ({ id }: Bearer) => (await read(`/agents/${id}/sleeping`)).sleeping;
  const owner = async ({ id }: Bearer) => (await read(`/agents/${id}/owner`)).status;
  const looks = async () => [await sleeping(ann), await owner(ann), await sleeping(mallory), await owner(mallory)];

  it('are all here', async () => {
    const document = await read('/openapi.json');
    const guarded: string[] = [];
    for (const [path, methods] of Object.entries<any>(document.paths)) {
      for (const [method, { security = [] }] of Object.entries<any>(methods)) {
        if (security.some((one: object) => 'agent' in one)) guarded.push(`${method.toUpperCase()} ${path}`);
      }
    }
    assert.deepEqual(guarded.sort(), [...Object.keys(ROUTES), ...ELSEWHERE].sort());
  });

  for (const [name, callOf] of Object.entries(ROUTES)) {
    it(`${name}: nothing but a token of that agent, for this server, this call and this moment`, async () => {
      const before = await looks();
      const right = callOf(ann);
      const claims = () => ann.claims(url(), right);
      const whole = ann.token(claims());
      const [head, payload, signature] = whole.split('.') as [string, string, string];
      const now = Math.floor(Date.now() / 1_000);
      const flipped = Buffer.from(signature, 'base64url');
      flipped[0]! ^= 1;
      const refused: Record<string, string | undefined> = {
        none: undefined,
        empty: '',
        garbage: 'x.y.z',
        'an API secret': 'a'.repeat(64),
        'no signature': `${head}.${payload}.`,
        'a flipped bit': `${head}.${payload}.${flipped.toString('base64url')}`,
        'another signer': `${head}.${payload}.${mallory.token(claims()).split('.')[2]}`,
        'alg none': ann.token(claims(), '{"alg":"none","typ":"agent-mesh+jwt"}'),
        'alg HS256': ann.token(claims(), '{"alg":"HS256","typ":"agent-mesh+jwt"}'),
        'a header with a key': ann.token(claims(), '{"alg":"EdDSA","typ":"agent-mesh+jwt","jwk":{}}'),
        'a claim too many': ann.token({ ...claims(), sub: ann.id }),
        'a claim too few': ann.token({ ...claims(), jti: undefined }),
        'a jti that is short': ann.token({ ...claims(), jti: 'AAAA' }),
        expired: ann.token({ ...claims(), iat: now - 400, exp: now - 100 }),
        'not yet valid': ann.token({ ...claims(), iat: now + 60, exp: now + 120 }),
        'valid too long': ann.token({ ...claims(), exp: now + 3_600 }),
        'another audience': ann.token({ ...claims(), aud: 'https://other.example' }),
        'the audience with a slash more': ann.token({ ...claims(), aud: `${url()}/` }),
        'another method': ann.token({ ...claims(), htm: 'PUT' }),
        'another path': ann.token({ ...claims(), htu: '/agents' }),
        'another query': ann.token({ ...claims(), htu: `${right.path}?x=1` }),
        'another body': ann.token({ ...claims(), bh: createHash('sha256').update('{}').digest('base64url') }),
        'an issuer that is no key': ann.token({ ...claims(), iss: '1'.repeat(32) }),
      };
      for (const [what, token] of Object.entries(refused)) {
        const answer = await call(right, token);
        assert.deepEqual([answer.status, answer.body.code], [401, 'unauthorized'], what);
        assert.ok(token === undefined || token === '' || !JSON.stringify(answer.body).includes(token), what);
      }
      const otherAgents = await call(right, mallory.token(mallory.claims(url(), right)));
      assert.deepEqual([otherAgents.status, otherAgents.body.code], [403, 'forbidden']);
      assert.deepEqual(await looks(), before);
    });

    it(`${name}: a token used again has no second effect, and none at another route`, async () => {
      const right = callOf(mallory);
      const token = mallory.token(mallory.claims(url(), right));
      const first = await call(right, token);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      const again = await call(right, token);
      assert.deepEqual([again.status, again.replayed, again.body], [200, 'true', first.body]);
      for (const other of Object.values(ROUTES)) {
        const elsewhere = other(mallory);
        if (elsewhere.path !== right.path) assert.equal((await call(elsewhere, token)).status, 401);
      }
      const changed = { ...right, body: { ...right.body, more: 1 } };
      assert.equal((await call(changed, token)).status, 401);
    });
  }

  it('take a token for the configured name, whatever the Host header says', async () => {
    const right = ROUTES['POST /push/sleep']!(ann);
    const text = JSON.stringify(right.body);
    const token = ann.token({ ...ann.claims(url(), right), aud: 'http://localhost' });
    const head = [
      'POST /push/sleep HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
      'Connection: close',
    ].join('\r\n');
    const answer = await rawExchange(mesh.aggregatorNode.port, `${head}\r\n\r\n${text}`);
    assert.match(answer, /^HTTP\/1\.1 401 /);
    assert.equal(await sleeping(ann), false);
  });

  it('count what they refuse', async () => {
    const { text } = await mesh.aggregatorNode.get(Operations).metrics();
    assert.ok(Number(/mesh_http_refused_total\{code="unauthorized"\} (\d+)/.exec(text)![1]) >= 40);
  });
});
