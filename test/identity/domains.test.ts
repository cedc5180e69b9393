import assert from 'node:assert/strict';
import { toHex } from '../../core/platform/bytes.ts';
import { DOMAINS, type DomainName, domainBytes, domainTag } from '../../core/protocol/identity/domains.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { ownerClaimText } from '../../core/protocol/identity/owner-claim.ts';

const names = Object.keys(DOMAINS) as DomainName[];
const filled = (length: number, byte: number) => new Uint8Array(length).fill(byte);

describe('signing domains', () => {
  const bodies: Record<DomainName, number> = {
    'envelope/2': 143,
    'noise/1': 48,
    'owner/1': 80,
    'host/1': 72,
    'succession/1': 72,
    'heartbeat/1': 40,
    'leaves/1': 44,
    'capability/1': 40,
    'latency/1': 40,
    'card/1': 40,
  };
  for (const name of names) {
    it(`${name} has a body of ${bodies[name]} bytes`, () => {
      const fields = Object.entries(DOMAINS[name]).map(([field, kind]) => [
        field,
        typeof kind === 'number' ? filled(kind, 7) : 1,
      ]);
      const bytes = domainBytes(name, filled(32, 0), Object.fromEntries(fields));
      assert.equal(bytes.length, 1 + `agent-mesh/${name}`.length + 1 + 32 + bodies[name]);
    });
  }

  it('never mean the same bytes: no tag begins another', () => {
    for (const name of names) {
      const tag = domainTag(name);
      assert.equal(tag[0], 0xff);
      assert.equal(tag.indexOf(0), tag.length - 1, 'the only 00 ends the name');
      for (const other of names) {
        if (other === name) continue;
        const start = domainTag(other).subarray(0, tag.length);
        assert.notDeepEqual(start, tag, `${name} begins ${other}`);
      }
    }
  });

  it('lay out the tag, the network and the fields in order, integers big-endian', () => {
    const bytes = domainBytes('leaves/1', filled(32, 0xaa), { epoch: 20254, count: 3, root: filled(32, 0xbb) });
    const tag = `ff${Buffer.from('agent-mesh/leaves/1').toString('hex')}00`;
    assert.equal(toHex(bytes), `${tag}${'aa'.repeat(32)}0000000000004f1e00000003${'bb'.repeat(32)}`);
  });

  it('do not depend on the order in which fields are given', () => {
    const fields = { static_key: filled(32, 1), instance: filled(8, 2), not_after: 3 };
    const turned = { not_after: 3, instance: filled(8, 2), static_key: filled(32, 1) };
    assert.deepEqual(domainBytes('noise/1', filled(32, 0), fields), domainBytes('noise/1', filled(32, 0), turned));
  });

  const good = { body_hash: filled(32, 0), time: 1 };
  const refused: Record<string, () => unknown> = {
    'bytes of another length': () => domainBytes('heartbeat/1', filled(32, 0), { ...good, body_hash: filled(31, 0) }),
    'a negative number': () => domainBytes('heartbeat/1', filled(32, 0), { ...good, time: -1 }),
    'a fraction': () => domainBytes('heartbeat/1', filled(32, 0), { ...good, time: 0.5 }),
    'a number that is not exact': () => domainBytes('heartbeat/1', filled(32, 0), { ...good, time: 2 ** 53 }),
    'a count beyond 32 bits': () =>
      domainBytes('leaves/1', filled(32, 0), { epoch: 1, count: 2 ** 32, root: filled(32, 0) }),
    'a network of another length': () => domainBytes('heartbeat/1', filled(31, 0), good),
    'a missing field': () => domainBytes('heartbeat/1', filled(32, 0), { time: 1 } as never),
  };
  for (const [name, run] of Object.entries(refused)) it(`refuse ${name}`, () => assert.throws(run, RangeError));
});

describe('a network', () => {
  const parts = { genesisHash: filled(32, 1), programId: filled(32, 2), configAddress: filled(32, 3) };

  it('is the hash of its ledger parts and its name', () => {
    const { id, version, epochSecs } = defineNetwork({ name: 'test', ...parts });
    assert.equal(toHex(id), 'f2263e8d55dc89ea53ec1f769cbdaabf0b377f3588becaa3b9a1e1bfbd6d40e8');
    assert.deepEqual([version, epochSecs], [2, 86_400]);
  });

  it('counts missing ledger parts as zero', () => {
    const zero = { genesisHash: filled(32, 0), programId: filled(32, 0), configAddress: filled(32, 0) };
    assert.deepEqual(defineNetwork({ name: 'test' }).id, defineNetwork({ name: 'test', ...zero }).id);
    assert.notDeepEqual(defineNetwork({ name: 'test' }).id, defineNetwork({ name: 'test', ...parts }).id);
  });

  it('refuses parts of other lengths and epochs of no length', () => {
    assert.throws(() => defineNetwork({ name: 'test', programId: filled(31, 0) }), RangeError);
    for (const epochSecs of [0, -1, 0.5]) assert.throws(() => defineNetwork({ name: 'test', epochSecs }), RangeError);
  });
});

describe('the ownership claim', () => {
  const network = defineNetwork({ name: 'test' });
  const claim = {
    purpose: 'link',
    agentId: parseAgentId('FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF')!,
    key: filled(32, 0xff),
    owner: filled(32, 0xfe),
    nonce: filled(8, 0xab),
    expires: 1_750_000_000,
  } as const;

  it('reads as words with one spelling for every field', () => {
    assert.equal(
      ownerClaimText(network, claim),
      [
        'agent-mesh ownership claim',
        '',
        'I am the owner of this agent. This link can never be changed.',
        '',
        'network: AfaYqWcvkgnpkg7sdxgbhFmjMrUmz7etziSLkgAfMP5T',
        'agent: FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF',
        'key: JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG',
        'owner: JAQ5MVHbCkSYRzXunsrNuM2m1LS859PGveHfoYPAmcvZ',
        'nonce: abababababababab',
        'expires: 1750000000',
      ].join('\n'),
    );
  });

  it('stays below 400 bytes with the longest fields', () => {
    const longest = { ...claim, agentId: filled(32, 0xff), owner: filled(32, 0xff), expires: Number.MAX_SAFE_INTEGER };
    assert.ok(Buffer.byteLength(ownerClaimText(network, longest)) <= 400);
  });

  it('refuses fields without one spelling', () => {
    for (const wrong of [{ nonce: filled(7, 0) }, { expires: 0.5 }, { expires: 0 }, { owner: filled(31, 0) }]) {
      assert.throws(() => ownerClaimText(network, { ...claim, ...wrong }), RangeError);
    }
  });
});
