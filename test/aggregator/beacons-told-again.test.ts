import assert from 'node:assert/strict';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { lineOf } from '../../core/aggregator/evidence/document.ts';
import { verifyEvidence } from '../../core/aggregator/evidence/verify.ts';
import { createIngest } from '../../core/aggregator/ingest/ingest.ts';
import type { IngestItem } from '../../core/aggregator/ingest/item.ts';
import { envelopesOf } from '../../core/aggregator/leaves/epoch-envelopes.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { agents } from '../../core/aggregator/store/agents.ts';
import { hosts } from '../../core/aggregator/store/hosts.ts';
import { agentCount, beaconCount } from '../../core/aggregator/store/logs.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { Verifier } from '../../core/messaging/verification/verifier.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { VERSION } from '../../core/protocol/reputation/parameters.ts';
import { openStore } from '../../core/storage/store.ts';
import { network, signDeal, TestAgent, type Wire } from './support/agent.ts';
import { type Domain, openDomain } from './support/domain.ts';

const MINUTE = 60_000;
const MONTH_SECS = 30 * 86_400;
const NOTHING = () => {};
const OF_A_KEY = 10;

describe('a BEACON that is told again', () => {
  const verifier = new Verifier();
  let domain: Domain;
  let agent: TestAgent;
  /** The records that plugins were told of, and how many were counted. */
  let told: { id: string; isNew: boolean }[];
  let recorded: number;
  let putOff: string[];
  let ingest: Domain['ingest'];
  beforeEach(async () => {
    domain = await openDomain();
    agent = new TestAgent('ann', () => domain.clock.now());
    [told, recorded, putOff] = [[], 0, []];
    const { space, epochs, clock } = domain;
    const plugins = {
      recording: (_: string, record: () => any) => ({
        beside: [],
        apply: () => void told.push({ id: record().id, isNew: record().isNew }),
        over: NOTHING,
      }),
    };
    ingest = createIngest({
      ...{ space, network, epochs, verifier, clock, log: silentLog, plugins: plugins as never },
      handling: { keeps: () => false, keep: NOTHING, recorded: NOTHING },
      limits: { newKeysPerHour: 100, newKeysPerHourInAll: 100, itemsPerKeyPerMinute: OF_A_KEY },
      ...{ counted: NOTHING, dropped: NOTHING, recorded: () => void recorded++ },
      putOff: (labels) => void putOff.push(labels!['bound']!),
    });
  });
  afterEach(() => domain.store.close());
  after(() => verifier.close());

  const wholeOf = ({ whole }: Wire): IngestItem => ({ kind: 'envelope', bytes: bytesOf(whole.envelope_b64) });
  const receiptOf = ({ receipt }: Wire): IngestItem => ({ kind: 'receipt', bytes: bytesOf(receipt.receipt_b64) });
  const tell = async (ip: string, ...items: IngestItem[]) => (await ingest(items, { ip })).map(({ status }) => status);
  const beacons = () => domain.space.total(beaconCount);
  const row = () => domain.space.get(agents.ref(agent.id));
  /** The claim of an agent that lives at this one. */
  const claimOf = (guest: TestAgent) => {
    const not_after = Math.floor(domain.clock.now() / 1_000) + MONTH_SECS;
    const fields = { host_key: agent.identity.key, recovery_key: guest.identity.key, not_after };
    const signature_b64 = Buffer.from(guest.identity.signDomain('host/1', network, fields)).toString('base64');
    return { agent_id: guest.id, recovery_key: guest.id, not_after, signature_b64 };
  };
  /** BEACONs five minutes apart, told as they are signed. */
  async function say(...names: string[]): Promise<Wire[]> {
    const said: Wire[] = [];
    for (const name of names) {
      const beacon = agent.beacon(name);
      assert.deepEqual(await tell('192.0.2.1', wholeOf(beacon)), ['accepted'], name);
      domain.clock.time += 5 * MINUTE;
      said.push(beacon);
    }
    return said;
  }

  it('uses up nothing of what its key may report, whole or as a receipt', async () => {
    const said = await say(...Array(4).fill('ann'));
    for (let round = 0; round < 3 * OF_A_KEY; round++)
      assert.deepEqual(await tell('198.51.100.9', wholeOf(said[1]!), receiptOf(said[2]!)), ['duplicate', 'duplicate']);
    const unheard = agent.beacon('ann');
    for (let round = 0; round < 3 * OF_A_KEY; round++)
      assert.deepEqual(await tell('198.51.100.9', receiptOf(unheard)), ['duplicate']);
    assert.deepEqual(await tell('192.0.2.1', wholeOf(unheard)), ['accepted']);
    assert.deepEqual(putOff, []);
  });

  it('is put off for the address that tells too many, and for no other', async () => {
    const [, old] = await say('ann', 'ann', 'ann');
    const many = Array.from({ length: 250 }, () => wholeOf(old!));
    let answers: string[] = [];
    for (let n = 0; n < 30 && !answers.includes('rate-limited'); n++) answers = await tell('198.51.100.9', ...many);
    assert.ok(answers.includes('rate-limited'));
    assert.ok(putOff.every((bound) => bound === 'address'));
    assert.deepEqual(await tell('192.0.2.1', wholeOf(old!), wholeOf(agent.beacon('ann'))), ['duplicate', 'accepted']);
  });

  it('shows the agents of its host though a later one has overtaken it, once, and counts as none', async () => {
    const claims = (names: string[]) => names.map((name) => claimOf(new TestAgent(name, () => domain.clock.now())));
    const [first, second] = [claims(['c1', 'c2', 'c3']), claims(['c4'])];
    await say('ann');
    const early = agent.beacon('ann', { hosted: first });
    domain.clock.time += MINUTE;
    const late = agent.beacon('ann', { hosted: second });
    domain.clock.time += MINUTE;
    assert.deepEqual(await tell('198.51.100.9', wholeOf(late), wholeOf(early)), ['accepted', 'accepted']);
    const hostsOf = async (of: object[]) =>
      (await domain.space.getMany(of.map((one) => hosts.ref((one as { agent_id: string }).agent_id)))).map(
        (known) => known?.host,
      );
    assert.deepEqual(await hostsOf([...first, ...second]), Array(4).fill(agent.id));
    assert.equal(await beacons(), 2n);
    assert.deepEqual(await tell('198.51.100.9', wholeOf(early), wholeOf(late)), ['duplicate', 'duplicate']);
    assert.equal(await beacons(), 2n);
  });

  it('is not believed without its signature', async () => {
    const [, old] = await say('ann', 'ann', 'ann');
    const forged = wholeOf(old!);
    forged.bytes[forged.bytes.length - 40]! ^= 1;
    assert.deepEqual(await tell('198.51.100.9', forged), ['invalid']);
  });

  it('counts once, also when its agent has said other things since', async () => {
    const said = await say('ann', 'ann', 'b', 'c', 'd', 'e', 'ann', 'e', 'e');
    const counts = [await beacons(), recorded, told.length, await row()];
    for (const again of said)
      for (const item of [wholeOf(again), receiptOf(again)])
        assert.deepEqual(await tell('198.51.100.9', item), ['duplicate']);
    assert.deepEqual([await beacons(), recorded, told.length, await row()], counts);
    assert.equal(counts[0], BigInt(said.length));
    assert.deepEqual([told.length, new Set(told.map(({ id }) => id)).size], [said.length, said.length]);
    assert.ok(told.every(({ isNew }) => isNew));
  });

  it('as a receipt alone makes no agent, no nonce and no count; whole it counts then', async () => {
    const beacon = agent.beacon('ann');
    for (let n = 0; n < 3; n++) assert.deepEqual(await tell('198.51.100.9', receiptOf(beacon)), ['duplicate']);
    assert.deepEqual([await domain.space.total(agentCount), await row(), recorded, told], [0n, undefined, 0, []]);
    assert.deepEqual(await tell('192.0.2.1', wholeOf(beacon)), ['accepted']);
    assert.deepEqual([await beacons(), recorded, told.map(({ isNew }) => isNew)], [1n, 1, [true]]);
  });

  it('of days that the aggregator missed is taken once for each six hours', async () => {
    const DAY = 24 * 60 * MINUTE;
    await say('ann');
    domain.clock.time += 2 * DAY;
    const missed = Array.from({ length: 48 }, (_, n) =>
      agent.beacon('ann', {}, domain.clock.time - DAY + n * 15 * MINUTE),
    );
    await say('ann');
    const taken = [];
    for (const beacon of [...missed, ...missed].reverse()) {
      domain.clock.time += MINUTE;
      taken.push((await tell('192.0.2.1', wholeOf(beacon)))[0]);
    }
    assert.equal(taken.filter((status) => status === 'accepted').length, 2);
    assert.equal(await beacons(), 4n);
  });

  it('convicts who used its nonce for another message while it is the newest or kept, also as a receipt', async () => {
    const [kept, , newest] = await say('ann', 'ann', 'ann');
    for (const { envelope } of [kept!, newest!]) {
      const twin = agent.sign('BEACON', { payload: { name: 'twin', hubs: [] }, nonce: envelope.nonce });
      assert.deepEqual(await tell('192.0.2.1', receiptOf(twin)), ['conflict']);
    }
    const epoch = domain.epochs.at(domain.clock.now());
    const held = await envelopesOf(domain.space, agent.id, { epoch, after: 0, limit: 10 });
    assert.deepEqual(
      held.map(({ seq }) => seq),
      [1, 1, 3, 3],
    );
  });
});

describe('the evidence of a score in which BEACONs stand', () => {
  const contracts = loadContracts();
  const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);

  it('is counted again, with one that stands in it twice and one that came late', async () => {
    const { clock, epochs, store } = await openDomain();
    const [host, guest] = ['host', 'guest'].map((name) => new TestAgent(name, () => clock.now())) as [
      TestAgent,
      TestAgent,
    ];
    const early = host.beacon('host');
    const late = host.beacon('host');
    const newest = host.beacon('host');
    const { propose } = signDeal(host, guest, clock.now());
    const items: [string, Wire][] = [early, newest, late, late, early].map((wire) => ['envelope', wire]);
    const file = (told: typeof items) => {
      const head = {
        ...{
          type: 'head',
          format: 1,
          agent_id: host.id,
          version: VERSION,
          as_of: clock.now(),
          epoch: epochs.at(clock.now()),
        },
        network: { network_id: network.name, envelope_version: 2, epoch_secs: network.epochSecs },
        ...{ anchors: [], score: 0, rank: 0, complete: true, after: 0, next: null },
      };
      const facts = told.map(([form, wire], place) => {
        const bytes_b64 = form === 'envelope' ? wire.whole.envelope_b64 : wire.receipt.receipt_b64;
        const text = JSON.stringify({ form, bytes_b64 });
        return lineOf({ type: 'fact', id: place + 1, kind: 'item', at: clock.now(), text });
      });
      return [lineOf(head as never), ...facts].join('');
    };
    const faultsOf = async (told: typeof items) => {
      const open = async (on: object) =>
        (
          await openStore(memoryStorage({ clock: on as never }), { clock: on as never, random: systemRandom, validate })
        ).space(SPACE);
      const { faults } = await verifyEvidence(file(told), open);
      return faults.filter((fault) => !fault.startsWith('the score'));
    };
    assert.deepEqual(await faultsOf([...items, ['receipt', propose]]), []);
    const twice = await faultsOf([
      ['receipt', propose],
      ['receipt', propose],
    ]);
    assert.match(twice.join(), /^line 3 is an receipt that cannot count: duplicate$/);
    await store.close();
  });
});

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}
