import { NOTHING_COUNTED } from '../../protocol/reputation/counts.ts';
import { DONE_NOTHING, withDeed } from '../../protocol/reputation/sums.ts';
import { type Collection, collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import { type Settled, sayingsOf } from '../ingest/effects/sayings.ts';
import { addDeed, addPayment, addSayings, inUsdc } from '../ingest/score-facts.ts';
import { agents, newStanding, type StoredAgent } from '../store/agents.ts';
import { escrows, ledgerEvents, type StoredEscrow } from '../store/ledger.ts';
import { interactions, paidTotal, type StoredInteraction } from '../store/logs.ts';
import { deeds, pairs } from '../store/scores.ts';
import { everything } from './facts.ts';

/**
 * The facts that version 1 kept only with an agent; the upgrade makes all others from escrows, ratings and ledger
 * events.
 */
interface FormerStanding {
  readonly version: 1;
  readonly active: number;
  readonly key_changes: number;
  readonly abandoned: FormerEvidence;
  readonly disputes?: FormerEvidence;
  readonly epoch: number;
  readonly counts: StoredAgent['standing']['counts'];
  readonly scores: number[];
}

interface FormerEvidence {
  readonly sum: number;
  readonly weight: number;
}

const PAGE = 100;
const upgrades = collection<{ readonly summed: boolean }>('score-upgrade', { schema: () => [] });
const upgradeRef = upgrades.ref('version-2');

/**
 * Makes the sums of version 2 of a store that version 1 has written: of its escrows, its ratings and the events of the
 * ledger, which are kept for ever. Gives the number of agents, 0 for a store that needs nothing. A start that was interrupted
 * begins again, or goes on with the rows of agents when the sums are made.
 */
export async function upgradeScores(space: Space, epochs: Epochs): Promise<number> {
  const ids: string[] = [];
  for await (const rows of everything(space, agents))
    for (const { id, value } of rows) if ((value.standing.version as number) === 1) ids.push(id);
  if (ids.length === 0) return 0;
  if (!(await space.get(upgradeRef))?.summed) {
    await clear(space);
    await addPayments(space, epochs);
    await addRatings(space, epochs);
    await addBurns(space, epochs);
    for (const some of slices(ids)) await addFormerDeeds(space, some);
    await space.put(upgradeRef, { summed: true });
  }
  for (const some of slices(ids)) await rewrite(space, some);
  return ids.length;
}

/** Deletes the sums of an interrupted start. */
async function clear(space: Space): Promise<void> {
  const paid = await space.total(paidTotal);
  await space.tx([], (tx) => tx.add(paidTotal, -paid));
  for (const of of [pairs, deeds])
    for (;;) {
      const rows = await space.page<unknown, never>(of as Collection<unknown, never>, { limit: PAGE });
      await space.tx([], (tx) => {
        for (const { id } of rows) tx.del(of.ref(id));
      });
      if (rows.length < PAGE) break;
    }
}

async function addPayments(space: Space, epochs: Epochs): Promise<void> {
  for await (const rows of everything(space, escrows))
    await space.tx([], (tx) => {
      for (const { value } of rows) {
        const { released, burnt = value.payouts?.burnt ?? '0' } = value;
        if (value.closed_at === null) continue;
        if (released !== '0') addPayment(tx, value, BigInt(released), epochs);
        if (burnt === '0') continue;
        addDeed(tx, value.requester, { burnt: inUsdc(BigInt(burnt)) }, value.closed_at, epochs);
        tx.put(escrows.ref(`${value.conversation_id}/${value.requester}/${value.provider}`), { ...value, burnt });
      }
    });
}

async function addRatings(space: Space, epochs: Epochs): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await space.page(interactions, { after, limit: PAGE });
    const settled = await Promise.all(rows.map(({ record }) => settledBetween(space, record)));
    await space.tx([], (tx) => {
      for (const [index, { record }] of rows.entries()) {
        const { sender, target_agent, score, at } = record;
        const rated = { rater: sender, target: target_agent, value: score, epoch: epochs.at(at) };
        const sayings = sayingsOf(rated, settled[index]);
        addSayings(tx, { from: sender, to: target_agent, keyChanges: 0 }, sayings, epochs);
      }
    });
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.id;
  }
}

/** The escrow of the two in that conversation; what was agreed is not known any more, so nothing counts as returned. */
async function settledBetween(space: Space, record: StoredInteraction): Promise<Settled | undefined> {
  const { conversation_id, sender, target_agent } = record;
  const refs = [
    escrows.ref(`${conversation_id}/${sender}/${target_agent}`),
    escrows.ref(`${conversation_id}/${target_agent}/${sender}`),
  ];
  const escrow = (await space.getMany(refs)).find((one) => one !== undefined && one.closed_at !== null);
  return escrow && { requester: escrow.requester, provider: escrow.provider, released: paidBy(escrow), returned: 0n };
}

function paidBy({ released, payouts }: StoredEscrow): bigint {
  return BigInt(payouts?.to_provider ?? released);
}

async function addBurns(space: Space, epochs: Epochs): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await space.page(ledgerEvents, { after, limit: PAGE });
    await space.tx([], (tx) => {
      for (const { record } of rows) {
        if (record.name !== 'lease_paid' && record.name !== 'agent_slashed') continue;
        const { key, amount = '0', bounty = '0' } = record.facts as Record<string, string>;
        const burnt = BigInt(amount) - (record.name === 'agent_slashed' ? BigInt(bounty) : 0n);
        addDeed(tx, key!, { burnt: inUsdc(burnt) }, record.at, epochs);
      }
    });
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.id;
  }
}

/** Takes an agent's abandoned deals and lost disputes from its row, the only place where version 1 kept them. */
async function addFormerDeeds(space: Space, ids: readonly string[]): Promise<void> {
  const rows = await space.getMany(ids.map((id) => agents.ref(id)));
  const refs = ids.map((id) => deeds.ref(id));
  await space.tx(refs, (tx) => {
    for (const [index, ref] of refs.entries()) {
      const { epoch, abandoned, disputes } = formerOf(rows[index]!);
      const lost = { mass: disputes?.weight ?? 0, sum: disputes?.sum ?? 0 };
      if (abandoned.weight === 0 && lost.mass === 0) continue;
      const deed = { abandoned: abandoned.weight, disputes: lost };
      tx.put(ref, withDeed(tx.get(ref) ?? DONE_NOTHING, deed, epoch, epoch));
    }
  });
}

async function rewrite(space: Space, ids: readonly string[]): Promise<void> {
  const refs = ids.map((id) => agents.ref(id));
  await space.tx(refs, (tx) => {
    for (const ref of refs) {
      const { ranked: _, ...agent } = tx.get(ref) as StoredAgent & { ranked?: unknown };
      const { active, key_changes, counts, scores } = formerOf(agent);
      const standing = { ...newStanding(active), key_changes, scores, counts: { ...NOTHING_COUNTED, ...counts } };
      tx.put(ref, { ...agent, standing });
    }
  });
}

function formerOf({ standing }: StoredAgent): FormerStanding {
  return standing as unknown as FormerStanding;
}

function slices<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / PAGE) }, (_, n) => all.slice(n * PAGE, (n + 1) * PAGE));
}
