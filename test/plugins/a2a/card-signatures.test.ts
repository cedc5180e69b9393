import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { Network } from '../../../core/internal-services.ts';
import { domainBytes } from '../../../core/protocol/identity/domains.ts';
import { formatAgentId } from '../../../core/protocol/identity/ids.ts';
import { Self } from '../../../core/services.ts';
import { canonicalJson } from '../../../plugins/a2a/cards/canonical.ts';
import { a2aPlugin } from '../../../plugins/a2a/index.ts';
import { DEAL_EXTENSION } from '../../../plugins/a2a/protocol/objects.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { Elsewhere } from './support/elsewhere.ts';

interface Signer {
  readonly alg: 'EdDSA' | 'ES256' | 'RS256';
  readonly kid: string;
  readonly private: KeyObject;
  readonly public: KeyObject;
}

const edDsa = (kid: string): Signer => named('EdDSA', kid, generateKeyPairSync('ed25519'));
function named(alg: Signer['alg'], kid: string, pair: { privateKey: KeyObject; publicKey: KeyObject }): Signer {
  return { alg, kid, private: pair.privateKey, public: pair.publicKey };
}

describe('the card of an A2A agent elsewhere', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'strict' | 'bob'>;
  let elsewhere: Elsewhere;
  let other: Elsewhere;
  const first = edDsa('first');

  before(async () => {
    [elsewhere, other] = [await Elsewhere.start(), await Elsewhere.start()];
    const $grant = [elsewhere, other].map(({ url }) => `http:${new URL(url).host}`);
    mesh = await startMesh({
      nodes: ['alice', 'strict', 'bob'],
      plugins: { alice: [a2aPlugin], strict: [a2aPlugin], bob: [a2aPlugin] },
      own: {
        alice: { plugins: { a2a: { $grant } } },
        strict: { plugins: { a2a: { $grant, outbound: { signed: true } } } },
        bob: { plugins: { a2a: { guests: true } } },
      },
    });
  });
  beforeEach(() => {
    elsewhere.keys = [published(first)];
    elsewhere.keysElsewhere = '';
  });
  after(async () => {
    await mesh?.stop();
    await elsewhere?.end();
    await other?.end();
  });

  const published = ({ kid, public: key }: Signer) => ({ ...key.export({ format: 'jwk' }), kid });
  const plain = () => elsewhere.cardOf('JSONRPC');

  function signature({ alg, kid, private: key }: Signer, card: object, header: object = {}): object {
    const head = { alg, kid, typ: 'JOSE', jku: `${elsewhere.url}/keys.json`, ...header };
    const text = Buffer.from(JSON.stringify(head)).toString('base64url');
    const payload = Buffer.from(canonicalJson(card)).toString('base64url');
    const hash = alg === 'EdDSA' ? null : 'sha256';
    const bytes = sign(hash, Buffer.from(`${text}.${payload}`), { key, dsaEncoding: 'ieee-p1363' });
    return { protected: text, signature: bytes.toString('base64url') };
  }
  const signed = (by: Signer, card: object = plain(), header: object = {}) => ({
    ...card,
    signatures: [signature(by, card, header)],
  });

  async function begin(card: unknown, node: 'alice' | 'strict' = 'alice'): Promise<any> {
    elsewhere.card = card;
    const answer = await mesh.nodes[node].call('POST', '/a2a/jobs', { card_url: elsewhere.url, message: 'direct' });
    return { status: answer.status, ...(answer.body as object) };
  }
  async function takes(card: unknown, as: 'valid' | 'none' | 'unchecked'): Promise<void> {
    const { status, agent, detail } = await begin(card);
    assert.deepEqual([status, agent?.signature], [200, as], detail);
  }
  async function refuses(card: unknown, words: RegExp, node: 'alice' | 'strict' = 'alice'): Promise<void> {
    const before = elsewhere.messages;
    const { status, code, detail } = await begin(card, node);
    assert.deepEqual([status, code], [502, 'upstream_failed'], JSON.stringify(card));
    assert.match(detail, words);
    assert.equal(elsewhere.messages, before, 'it was given the task');
  }

  it('is taken with a signature of the three algorithms that hosts sign with', async () => {
    await takes(signed(first), 'valid');
    const pairs = [
      named('ES256', 'ec', generateKeyPairSync('ec', { namedCurve: 'P-256' })),
      named('RS256', 'rsa', generateKeyPairSync('rsa', { modulusLength: 2_048 })),
    ];
    elsewhere.keys = pairs.map(published);
    for (const one of pairs) await takes(signed(one), 'valid');
  });

  it('is refused with a signature that is wrong, by another key, or over another body', async () => {
    const good = signed(first);
    const [{ protected: head, signature: text }] = good.signatures as any;
    const bytes = Buffer.from(text, 'base64url');
    bytes[7]! ^= 1;
    for (const wrong of [bytes.toString('base64url'), text.slice(0, -4), 'AAAA', `${text}AA`])
      await refuses({ ...good, signatures: [{ protected: head, signature: wrong }] }, /signature does not hold/);
    await refuses(signed({ ...edDsa('first') }), /signature does not hold/);
    await refuses({ ...good, name: 'Mallory' }, /signature does not hold/);
    await refuses({ ...good, extra: 1 }, /signature does not hold/);
    // Another time, or another address of the keys, is another header.
    const later = signed(first, plain(), { iat: 1 }).signatures[0] as any;
    await refuses({ ...good, signatures: [{ protected: later.protected, signature: text }] }, /does not hold/);
    // One that holds is enough: hosts sign with the next key before the last one goes.
    await takes({ ...good, signatures: [...signed(edDsa('gone')).signatures, ...good.signatures] }, 'valid');
  });

  it('is refused with what is no signature by any key', async () => {
    const encoded = (header: unknown) => Buffer.from(JSON.stringify(header)).toString('base64url');
    const broken: unknown[] = [
      null,
      'text',
      {},
      { protected: 7, signature: 'AAAA' },
      { protected: 'no JSON', signature: 'AAAA' },
      { protected: encoded([]), signature: 'AAAA' },
      { protected: encoded({ kid: 'first' }), signature: 'AAAA' },
      { protected: encoded({ alg: 'none', kid: 'first', jku: `${elsewhere.url}/keys.json` }), signature: 'AAAA' },
      { protected: encoded({ alg: 'None' }), signature: 'AAAA' },
      { ...signature(first, plain()), signature: '' },
    ];
    for (const one of broken) await refuses({ ...plain(), signatures: [one] }, /signature does not hold/);
    await refuses({ ...plain(), signatures: {} }, /its signatures are no list/);
  });

  it('says so where its signature cannot be checked here, and is refused by an owner who wants it checked', async () => {
    const cards: [object, 'none' | 'unchecked'][] = [
      [plain(), 'none'],
      [{ ...plain(), signatures: [] }, 'none'],
      [signed(first, plain(), { jku: `${other.url}/keys.json` }), 'unchecked'],
      [signed(first, plain(), { jku: undefined }), 'unchecked'],
      [signed(first, plain(), { alg: 'ES512' }), 'unchecked'],
    ];
    for (const [card, as] of cards) {
      await takes(card, as);
      await refuses(card, /no key of its own host has signed it/, 'strict');
    }
    assert.equal((await begin(signed(first), 'strict')).agent.signature, 'valid');
  });

  it('is refused when its keys are at another host, where a redirect of its own leads', async () => {
    other.keys = [published(first)];
    elsewhere.keysElsewhere = `${other.url}/keys.json`;
    await refuses(signed(first), /the keys are at http/);
  });

  it('is checked by the keys of now: one that was replaced signs no more, and both do while both are published', async () => {
    const [old, next] = [first, edDsa('next')];
    const [before, later] = [signed(old), signed(next)];
    await takes(before, 'valid');
    await refuses(later, /does not hold/);
    elsewhere.keys = [published(old), published(next)];
    for (const card of [before, later]) await takes(card, 'valid');
    elsewhere.keys = [published(next)];
    await takes(later, 'valid');
    await refuses(before, /does not hold/);
    for (const keys of [[], [null], [{ kid: 'next' }], [{ kid: 'next', kty: 'OKP', crv: 'Ed25519', x: '' }]]) {
      elsewhere.keys = keys;
      await refuses(later, /does not hold/);
    }
  });

  describe('that names an agent of this mesh', () => {
    const agent = edDsa('agent');
    const raw = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).subarray(-32);
    const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600;

    /** The words of an agent of this mesh for a card key, as this plugin writes them. */
    function certified(changes: object = {}, not_after = inAnHour(), by = agent): object {
      const { node } = mesh.nodes.alice;
      const fields = { card_key: new Uint8Array(raw(first.public)), not_after };
      const bytes = domainBytes('card/1', node.get(Network).id, fields);
      const params = {
        ...{ node_id: formatAgentId(new Uint8Array(raw(agent.public))), network: node.get(Self).network },
        ...{ card_key: raw(first.public).toString('base64url'), not_after },
        ...{ signature: sign(null, bytes, by.private).toString('hex'), ...changes },
      };
      return { ...plain(), capabilities: { extensions: [{ uri: DEAL_EXTENSION, params }] } };
    }

    it('is taken with the word of that agent for the key that signed it', async () => {
      await takes(signed(first, certified()), 'valid');
      // A certificate of another mesh means nothing in this one.
      await takes({ ...certified({ network: 'another', signature: 'no' }) }, 'none');
    });

    it('is refused once that word has ended, or when it is wrong', async () => {
      const anHourAgo = inAnHour() - 7_200;
      const wrong: object[] = [
        certified({}, anHourAgo),
        certified({ not_after: inAnHour() + 86_400 }),
        certified({ not_after: 'soon' }),
        certified({ signature: randomBytes(64).toString('hex') }),
        certified({ signature: 'no' }),
        certified({ node_id: mesh.nodes.bob.id }),
        certified({ node_id: 7 }),
        certified({}, inAnHour(), edDsa('mallory')),
      ];
      for (const card of wrong) await refuses(signed(first, card), /its agent's word for its key does not hold/);
    });

    it('is refused when another key signed it, or none, however true that word is', async () => {
      const thief = edDsa('thief');
      elsewhere.keys = [published(thief), published(first)];
      await refuses(signed(thief, certified()), /the key that its agent names did not sign it/);
      await refuses(certified(), /the key that its agent names did not sign it/);
      const elsewhereSigned = signed(first, certified(), { jku: `${other.url}/keys.json` });
      await refuses(elsewhereSigned, /the key that its agent names did not sign it/);
      // The card of a node, which another host shows as its own.
      const answer = await fetch(`${mesh.nodes.bob.url}/.well-known/agent-card.json`);
      const card = { ...((await answer.json()) as object), supportedInterfaces: plain().supportedInterfaces };
      await refuses(card, /the key that its agent names did not sign it/);
    });
  });
});
