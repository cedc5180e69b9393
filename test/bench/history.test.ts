import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { History, type PastDeal } from '../../bench/serve/history.ts';
import { indexReports } from '../../bench/serve/index-reports.ts';
import { agentsOf, dealsFrom, network, reportsOf, type WholeDeal } from '../../bench/support/agents.ts';
import { epochsOf } from '../../core/aggregator/epochs.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { forgetNonces } from '../../core/aggregator/store/nonces.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { openStore } from '../../core/storage/store.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const epochs = epochsOf(network);
const contracts = loadContracts();

/** An empty store whose clock stands still. */
async function emptyStore() {
  const clock = { ...systemClock, at: START, now: () => clock.at };
  const dir = mkdtempSync(join(tmpdir(), 'mesh-history-'));
  const adapter = lowdbStorage({ dir, clock });
  const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
  const store = await openStore(adapter, { validate, clock, random: systemRandom });
  /** Everything in it; the store is gone then. */
  const content = async () => {
    const rows: unknown[] = [];
    for await (const row of adapter.dump!()) {
      // How many commits there were, and which wrote a document last, is the difference between the two.
      if (row[0] !== 'store') rows.push(row[0] === 'document' ? row.toSpliced(3, 1) : row);
    }
    await store.close();
    rmSync(dir, { recursive: true });
    return rows;
  };
  return { space: store.space(SPACE), clock, content };
}

/** As many in one transaction as a store is filled with. */
const DEALS = { 0: 30, 1: 30, 9: 64 };
const ALL = 30 + 30 + 64;

/** Deals of a few agents on three days, each with several others and several times. */
async function twice(kept: boolean, passed: number) {
  const [ingested, written] = [await emptyStore(), await emptyStore()];
  const agents = agentsOf(9, () => ingested.clock.at);
  const history = new History(written.space, epochs);
  for (const [day, count] of Object.entries(DEALS).map(([day, count]) => [Number(day), count] as const)) {
    for (const { clock } of [ingested, written]) clock.at = START + day * DAY;
    const deals = dealsFrom(agents, 7 * day, count);
    await indexReports(ingested.space, [...reportsOf(deals)], { epochs, now: ingested.clock.at });
    await history.add(kept ? deals : deals.map(unsigned), written.clock.at);
  }
  for (const { clock } of [ingested, written]) clock.at += passed;
  await forgetNonces(ingested.space, epochs.at(ingested.clock.at), new AbortController().signal);
  await history.close();
  return { ingested: await ingested.content(), written: await written.content(), agents };
}

function unsigned({ requester, provider, conversation, accept, deliver, ratings }: WholeDeal): PastDeal {
  const [one, other] = ratings;
  const rated = [{ id: one.id }, { id: other.id }] as const;
  return { requester, provider, conversation, accept: { id: accept.id }, deliver: { id: deliver.id }, ratings: rated };
}

describe('the history that benches write', () => {
  it('is what the ingest leaves of deals it has just been told', async () => {
    const { ingested, written, agents } = await twice(true, 0);
    assert.equal(heldIn(ingested), 5 * ALL);
    assert.equal(countOf(ingested, 'aggregator:agents'), agents.length);
    assert.deepEqual(written, ingested);
  });

  it('is what is left of deals when nothing is kept of their envelopes', async () => {
    const { ingested, written, agents } = await twice(false, 17 * DAY);
    assert.equal(heldIn(ingested), 0);
    for (const gone of ['deal-records', 'parties']) assert.equal(countOf(ingested, `aggregator:${gone}`), 0, gone);
    assert.equal(countOf(ingested, 'aggregator:agents'), agents.length);
    assert.deepEqual(written, ingested);
  });
});

function countOf(rows: readonly unknown[], collection: string): number {
  return rows.filter((row) => (row as readonly unknown[])[1] === collection).length;
}

/** Envelopes whose nonces are held. */
function heldIn(rows: readonly unknown[]): number {
  const values = (rows as readonly (readonly unknown[])[]).filter((row) => row[1] === 'aggregator:nonce-blocks');
  // The first of them is the mark of the form.
  return values.reduce((sum, row) => sum + JSON.parse(row[3] as string).length - 1, 0);
}
