import assert from 'node:assert/strict';
import { moveFormerNonces } from '../../core/aggregator/ingest/former-nonces.ts';
import { envelopesOf } from '../../core/aggregator/leaves/epoch-envelopes.ts';
import { agents } from '../../core/aggregator/store/agents.ts';
import { newestOf } from '../../core/aggregator/store/newest.ts';
import { nonces } from '../../core/aggregator/store/nonces.ts';
import { toBase64 } from '../../core/platform/bytes.ts';
import { proofBytesOf } from '../../core/protocol/envelopes/receipt.ts';
import { collection } from '../../core/storage/declarations.ts';
import { signDeal, TestAgent, type Wire } from './support/agent.ts';
import { type Domain, openDomain } from './support/domain.ts';

const MINUTE = 60_000;

describe('BEACONs that say nothing new', () => {
  let domain: Domain;
  let agent: TestAgent;
  beforeEach(async () => {
    domain = await openDomain();
    agent = new TestAgent('ann', () => domain.clock.now());
  });
  afterEach(() => domain.store.close());

  const epoch = () => domain.epochs.at(domain.clock.now());
  const held = () => envelopesOf(domain.space, agent.id, { epoch: epoch(), after: 0, limit: 100 });
  const newest = async () => toBase64((await newestOf(domain.space, agent.id, epoch()))!);
  const proofText = ({ envelope }: Wire) => toBase64(proofBytesOf(envelope));
  async function say(name: string): Promise<Wire> {
    const beacon = agent.beacon(name);
    assert.deepEqual(await domain.take(beacon), ['accepted']);
    domain.clock.time += 5 * MINUTE;
    return beacon;
  }

  it('leave no nonce, move last_seen, and are the newest header of their key', async () => {
    const first = await say('ann');
    let last = first;
    for (let n = 0; n < 20; n++) last = await say('ann');
    assert.deepEqual(
      (await held()).map(({ leaf_hash }) => leaf_hash),
      [first.id],
    );
    assert.equal(await newest(), proofText(last));
    assert.equal((await domain.space.get(agents.ref(agent.id)))!.last_seen, domain.clock.time - 5 * MINUTE);
    assert.equal(await domain.space.count(nonces), 1);
  });

  it('are kept once in six hours, and whenever they say something else', async () => {
    domain.clock.time -= 11 * 60 * MINUTE;
    const said: Wire[] = [];
    for (let n = 0; n < 12 * 12; n++) said.push(await say(n < 100 ? 'ann' : 'anna'));
    const kept = (await held()).map(({ leaf_hash }) => said.findIndex(({ id }) => id === leaf_hash));
    // From 01:00 on: the first, the first after six, after the new name, and after twelve.
    assert.deepEqual(kept, [0, 60, 100, 132]);
  });

  it('are duplicates when they come again, or late', async () => {
    await say('ann');
    const late = agent.beacon('ann');
    const quiet = agent.beacon('ann');
    assert.deepEqual(await domain.take(quiet), ['accepted']);
    assert.deepEqual(await domain.take(quiet, late, quiet), ['duplicate', 'duplicate', 'duplicate']);
    assert.equal(await newest(), proofText(quiet));
  });

  it('show a nonce that is used twice while they are the newest, and both are kept then', async () => {
    await say('ann');
    const quiet = await say('ann');
    const { nonce } = quiet.envelope;
    const other = agent.sign('BEACON', { payload: { name: 'ann', hubs: [], url: 'wss://ann.example/mesh' }, nonce });
    const bytes = new Uint8Array(Buffer.from(other.whole.envelope_b64, 'base64'));
    const [result] = await domain.ingest([{ kind: 'envelope', bytes }], { ip: '127.0.0.1' });
    assert.deepEqual([result!.status, result!.held_b64], ['conflict', proofText(quiet)]);
    const twice = (await held()).filter(({ seq }) => seq === 2);
    assert.deepEqual(
      twice.map(({ leaf_hash }) => leaf_hash),
      [quiet.id, other.id],
    );
    assert.deepEqual(
      twice.map(({ bytes_b64 }) => bytes_b64),
      [quiet, other].map(proofText),
    );
    assert.deepEqual(await domain.take(other, quiet), ['conflict', 'duplicate']);
  });

  it('do not hide a newer message of another kind', async () => {
    await say('ann');
    const deal = signDeal(agent, new TestAgent('bob', () => domain.clock.now()));
    assert.deepEqual(await domain.take(deal.propose), ['accepted']);
    assert.equal(await newest(), proofText(deal.propose));
  });

  it('lie where nonces of earlier builds are moved to, which are duplicates still', async () => {
    const deal = signDeal(agent, new TestAgent('bob', () => domain.clock.now()));
    const twin = agent.sign('BEACON', { payload: { name: 'x', hubs: [] }, nonce: deal.propose.envelope.nonce });
    const former = collection<object>('nonces', { schema: () => [] });
    const entry = (wire: Wire, whole: boolean) => {
      return { envelope_id: wire.id, whole, at: domain.clock.now(), receipt_b64: proofText(wire) };
    };
    const id = (wire: Wire, key: string) => `${key}/${String(wire.envelope.nonce).padStart(16, '0')}`;
    await domain.space.put(former.ref(id(deal.propose, agent.id)), {
      held: [entry(deal.propose, true), entry(twin, true)],
    });
    await domain.space.put(former.ref('ab'.repeat(32)), {
      held: [{ envelope_id: 'ab'.repeat(32), whole: true, at: 5 }],
    });
    assert.equal(await moveFormerNonces(domain.space, domain.epochs), 2);
    assert.equal(await domain.space.count(former), 0);
    assert.deepEqual(
      (await held()).map(({ bytes_b64 }) => bytes_b64),
      [deal.propose, twin].map(proofText),
    );
    assert.deepEqual(await domain.take(deal.propose, twin), ['duplicate', 'conflict']);
    assert.equal(await moveFormerNonces(domain.space, domain.epochs), 0);
  });
});
