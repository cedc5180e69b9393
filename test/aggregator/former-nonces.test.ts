import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disk } from '../../adapters/storage-lowdb/disk.ts';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { epochsOf } from '../../core/aggregator/epochs.ts';
import { FormerMove } from '../../core/aggregator/ingest/former-move.ts';
import { moveFormerNonces, newestFormer } from '../../core/aggregator/ingest/former-nonces.ts';
import { createIngest } from '../../core/aggregator/ingest/ingest.ts';
import { envelopesOf } from '../../core/aggregator/leaves/epoch-envelopes.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { newestOf } from '../../core/aggregator/store/newest.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { Verifier } from '../../core/messaging/verification/verifier.ts';
import { toBase64 } from '../../core/platform/bytes.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { nonceOf } from '../../core/protocol/envelopes/epochs.ts';
import { proofBytesOf } from '../../core/protocol/envelopes/receipt.ts';
import { collection } from '../../core/storage/declarations.ts';
import { openStore } from '../../core/storage/store.ts';
import { Dice, roundsOf } from '../storage/dice.ts';
import { randomLoss } from '../storage/random-loss.ts';
import { SimulatedDisk } from '../storage/simulated-disk.ts';
import { network, TestAgent } from './support/agent.ts';
import { NOON } from './support/domain.ts';
import { StillClock } from './support/still-clock.ts';

const FORMATS = join(import.meta.dirname, '../storage/formats');
const CUTS = roundsOf(40);
const former = collection<object>('nonces', { schema: () => [] });
const NOTHING = () => {};

interface Told {
  readonly agents: readonly string[];
  readonly items: readonly string[];
  readonly results: readonly { readonly envelope_id: string; readonly status: string }[];
}

describe('the store of an aggregator that kept a document for each nonce', function () {
  this.timeout(60_000);
  const epochs = epochsOf(network);
  const clock = new StillClock(NOON);
  const contracts = loadContracts();
  const verifier = new Verifier();
  let home: string;
  let told: Told;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'mesh-former-'));
    const file = join(FORMATS, 'aggregator-nonces.tar.gz');
    execFileSync('tar', ['-xzf', file, '-C', home]);
    told = JSON.parse(await readFile(join(home, 'aggregator-nonces', 'told.json'), 'utf8'));
  });
  after(async () => {
    verifier.close();
    await rm(home, { recursive: true });
  });

  async function open(dir: string, disk?: Disk) {
    const adapter = lowdbStorage({ dir, clock, ...(disk && { disk }) });
    const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
    const store = await openStore(adapter, { validate, clock, random: systemRandom });
    return { store, space: store.space(SPACE) };
  }

  /** The ids that are held, and what the aggregator answers to the same reports again. */
  async function look({ space }: Awaited<ReturnType<typeof open>>) {
    const pages = told.agents.map((key) => envelopesOf(space, key, { epoch: epochs.at(NOON), after: 0, limit: 100 }));
    const ids = (await Promise.all(pages)).flat().map(({ leaf_hash }) => leaf_hash);
    const again = await take({ space }, told.items);
    return { ids: ids.sort(), again: again.map(({ status }) => status) };
  }

  async function take({ space }: Pick<Awaited<ReturnType<typeof open>>, 'space'>, texts: readonly string[]) {
    const ingest = createIngest({
      ...{ space, network, epochs, verifier, clock, log: silentLog },
      handling: { keeps: () => false, keep: NOTHING, recorded: NOTHING },
      limits: { newKeysPerHour: 100, newKeysPerHourInAll: 100, itemsPerKeyPerMinute: 100 },
      ...{ counted: NOTHING, putOff: NOTHING, recorded: NOTHING, dropped: NOTHING },
    });
    const items = texts.map((text) => {
      return { kind: 'envelope', bytes: new Uint8Array(Buffer.from(text, 'base64')) } as const;
    });
    return ingest(items, { ip: '127.0.0.1' });
  }

  it('is moved at the start: all is held, and counts no second time', async () => {
    const opened = await open(join(home, 'aggregator-nonces', 'store'));
    const newest = await Promise.all(told.agents.map((key) => newestFormer(opened.space, key)));
    assert.ok(newest.some((receipt) => receipt !== undefined));
    assert.equal(await moveFormerNonces(opened.space, epochs), told.items.length - 1);
    const later = await Promise.all(told.agents.map((key) => newestOf(opened.space, key, epochs.at(NOON))));
    // A key is told of the same last number before, during and after the move.
    for (const [place, receipt] of newest.entries()) if (receipt) assert.deepEqual(later[place], receipt);
    assert.deepEqual(
      await Promise.all(told.agents.map((key) => newestFormer(opened.space, key))),
      [...later].fill(undefined),
    );
    assert.deepEqual(await look(opened), expected());
    await opened.store.close();
  });

  it(`is whole after power cuts while it is moved (${CUTS} cuts)`, async () => {
    const dir = join(home, 'cut');
    execFileSync('cp', ['-r', join(home, 'aggregator-nonces', 'store'), dir]);
    const files = new Map<string, Buffer>();
    for (const file of await readdir(dir)) files.set(join(dir, file), await readFile(join(dir, file)));
    const disk = new SimulatedDisk(files);
    const first = await open(dir, disk);
    await moveFormerNonces(first.space, epochs);
    await first.store.close();
    for (let cut = 0; cut < CUTS; cut++) {
      const dice = new Dice(cut);
      const after = new SimulatedDisk(disk.after(dice.below(disk.steps.length + 1), randomLoss(dice)));
      const opened = await open(dir, after);
      await moveFormerNonces(opened.space, epochs);
      assert.deepEqual(await look(opened), expected(), `cut ${cut}`);
      await opened.store.close();
    }
  });

  it('takes nothing in while it is moved, however long that is', async () => {
    execFileSync('tar', ['-xzf', join(FORMATS, 'aggregator-nonces.tar.gz'), '-C', home, '--one-top-level=slow']);
    const opened = await open(join(home, 'slow', 'aggregator-nonces', 'store'));
    const { space } = opened;
    let goOn = NOTHING;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const slow = Object.assign(Object.create(space), {
      tx: space.tx.bind(space),
      page: async (of: typeof former, query: object) => {
        const rows = await space.page(of, query);
        await held;
        return rows;
      },
    });
    const { signal } = new AbortController();
    const move = FormerMove.begin({ space: slow, epochs, clock, log: silentLog, signal });
    const gated = move.gate(() => take(opened, told.items));
    await assert.rejects(gated(), { name: 'StorageError', fault: 'unavailable' });
    goOn();
    await move.done;
    assert.deepEqual(
      (await gated()).map(({ status }) => status),
      expected().again,
    );
    await opened.store.close();
  });

  it('is moved by two processes at once, and the slower one overwrites nothing that came after', async () => {
    const dir = join(home, 'twice');
    execFileSync('tar', ['-xzf', join(FORMATS, 'aggregator-nonces.tar.gz'), '-C', home, '--one-top-level=twice']);
    const opened = await open(join(dir, 'aggregator-nonces', 'store'));
    const { space } = opened;
    const ann = new TestAgent('ann', () => clock.now());
    const wire = ann.sign('DISCOVER', { payload: { query: 'x' }, nonce: nonceOf(epochs.at(NOON), 50) });
    const id = `${ann.id}/${String(wire.envelope.nonce).padStart(16, '0')}`;
    const receipt_b64 = toBase64(proofBytesOf(wire.envelope));
    await space.put(former.ref(id), { held: [{ envelope_id: wire.id, whole: false, at: NOON, receipt_b64 }] });
    const pages = [await space.page(former, { limit: 100 })];
    const slow = Object.assign(Object.create(space), {
      tx: space.tx.bind(space),
      page: async (of: typeof former, query: object) => pages.pop() ?? space.page(of, query),
    });
    assert.equal(await moveFormerNonces(space, epochs), told.items.length);
    const twin = ann.sign('DISCOVER', { payload: { query: 'y' }, nonce: wire.envelope.nonce });
    const tell = async () =>
      (
        await take(
          opened,
          [wire, twin].map(({ whole }) => whole.envelope_b64),
        )
      ).map(({ status }) => status);
    assert.deepEqual(await tell(), ['accepted', 'conflict']);
    assert.equal(await moveFormerNonces(slow, epochs), 0);
    assert.deepEqual(await tell(), ['duplicate', 'conflict']);
    await opened.store.close();
  });

  function expected() {
    const ids = told.results.map(({ envelope_id }) => envelope_id).sort();
    return { ids, again: told.results.map(({ status }) => (status === 'accepted' ? 'duplicate' : status)) };
  }
});
