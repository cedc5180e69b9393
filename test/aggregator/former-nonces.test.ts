import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disk } from '../../adapters/storage-lowdb/disk.ts';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { epochsOf } from '../../core/aggregator/epochs.ts';
import { moveFormerNonces } from '../../core/aggregator/ingest/former-nonces.ts';
import { createIngest } from '../../core/aggregator/ingest/ingest.ts';
import { envelopesOf } from '../../core/aggregator/leaves/epoch-envelopes.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { Verifier } from '../../core/messaging/verification/verifier.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { openStore } from '../../core/storage/store.ts';
import { Dice, roundsOf } from '../storage/dice.ts';
import { randomLoss } from '../storage/random-loss.ts';
import { SimulatedDisk } from '../storage/simulated-disk.ts';
import { network } from './support/agent.ts';
import { NOON } from './support/domain.ts';
import { StillClock } from './support/still-clock.ts';

const CUTS = roundsOf(40);
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
    const file = join(import.meta.dirname, '../storage/formats/aggregator-nonces.tar.gz');
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
    const ingest = createIngest({
      ...{ space, network, epochs, verifier, clock, log: silentLog },
      handling: { keeps: () => false, keep: NOTHING, recorded: NOTHING },
      limits: { newKeysPerHour: 100, newKeysPerHourInAll: 100, itemsPerKeyPerMinute: 100 },
      ...{ counted: NOTHING, putOff: NOTHING, recorded: NOTHING, dropped: NOTHING },
    });
    const items = told.items.map((text) => {
      return { kind: 'envelope', bytes: new Uint8Array(Buffer.from(text, 'base64')) } as const;
    });
    const again = await ingest(items, { ip: '127.0.0.1' });
    return { ids: ids.sort(), again: again.map(({ status }) => status) };
  }

  it('is moved at the start: all is held, and counts no second time', async () => {
    const opened = await open(join(home, 'aggregator-nonces', 'store'));
    assert.equal(await moveFormerNonces(opened.space, epochs), told.items.length - 1);
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

  function expected() {
    const ids = told.results.map(({ envelope_id }) => envelope_id).sort();
    return { ids, again: told.results.map(({ status }) => (status === 'accepted' ? 'duplicate' : status)) };
  }
});
