import { readStakes } from '../../core/aggregator/ledger/account-reader.ts';
import { readEscrows } from '../../core/aggregator/ledger/escrow-reader.ts';
import { Indexer } from '../../core/aggregator/ledger/indexer.ts';
import { agents } from '../../core/aggregator/store/agents.ts';
import { explanations, lastRunRef } from '../../core/aggregator/store/scores.ts';
import type { Settlement } from '../../core/ledger/settlement.ts';
import { silentLog } from '../../core/platform/log.ts';
import type { AgentAccount, EscrowAccount } from '../../core/protocol/settlement/accounts.ts';
import type { EventFacts, SettlementEvent } from '../../core/protocol/settlement/events.ts';
import type { EscrowName } from '../../core/protocol/settlement/steps.ts';
import { network, TestAgent } from '../aggregator/support/agent.ts';
import type { Item } from '../aggregator/support/aggregator.ts';
import { type AgreedDeal, lockOf } from '../aggregator/support/agreed-deals.ts';
import { type Domain, openDomain } from '../aggregator/support/domain.ts';
import type { Court, Found } from './court.ts';

const never = new AbortController().signal;
const CONFIG = 'a ledger in memory';
const BODY = 100;

/**
 * Stands in for the ledger where many seeds are played: it keeps the rules of the program that the plays meet (an escrow is
 * locked once and ended once) and tells events and accounts in its shapes. The ingest, its store and the scores are the product's.
 */
export class FastLedger implements Court {
  readonly #domain: Domain;
  readonly #events: SettlementEvent[] = [];
  readonly #escrows = new Map<string, EscrowAccount>();
  readonly #accounts = new Map<string, AgentAccount>();
  /** The thread that scores keeps no process alive. */
  readonly #alive = setInterval(() => {}, 60_000);

  private constructor(domain: Domain) {
    this.#domain = domain;
  }

  static async open(anchors: readonly string[]): Promise<FastLedger> {
    const domain = await openDomain();
    domain.anchors.push(...anchors.map((name) => new TestAgent(name).id));
    return new FastLedger(domain);
  }

  now(): number {
    return this.#domain.clock.time;
  }

  advance(seconds: number): void {
    this.#domain.clock.time += seconds * 1_000;
  }

  agent(name: string): TestAgent {
    return new TestAgent(name, () => this.now(), network);
  }

  /** Everybody has what it needs: what a play costs is what its deals say. */
  async fund(): Promise<void> {}

  async lock(deal: AgreedDeal, amount = deal.amount): Promise<void> {
    const { requester, provider, conversation, notary, terms, deadline, reviewSecs, disputeBps, bond } = lockOf(
      deal,
      amount,
    );
    const name = nameOf(deal.name);
    if (this.#escrows.has(name)) throw new Error(`${name} is locked already`);
    const shared = { requester, provider, conversation, notary, terms, deadline, reviewSecs, disputeBps, bond, amount };
    const unused = { delivery: null, deliveredAt: null, disputedAt: null, offerBps: 0 };
    this.#escrows.set(name, {
      ...{ ...shared, ...unused, address: name, vault: name, payee: provider, state: 'locked' },
      lockedAt: this.#secs(),
    });
    this.#tell({ name: 'escrow_locked', ...shared }, requester);
  }

  approve(deal: AgreedDeal): Promise<void> {
    return this.#end(deal, 'escrow_approved');
  }

  refund(deal: AgreedDeal): Promise<void> {
    return this.#end(deal, 'escrow_refunded');
  }

  reclaim(deal: AgreedDeal): Promise<void> {
    return this.#end(deal, 'escrow_reclaimed');
  }

  async payLease(agent: TestAgent, epochs: number, amount: bigint): Promise<void> {
    const known = this.#account(agent.id);
    const epoch = Math.floor(this.#secs() / network.epochSecs);
    const paidThrough = Math.max(known.paidThrough, epoch) + epochs;
    this.#accounts.set(agent.id, { ...known, paidThrough });
    this.#tell({ name: 'lease_paid', key: agent.id, payer: agent.id, amount, paidThrough }, agent.id);
  }

  async addStake(agent: TestAgent, amount: bigint): Promise<void> {
    const known = this.#account(agent.id);
    const stake = known.stake + amount;
    this.#accounts.set(agent.id, { ...known, state: 'active', stake, stakeOwner: agent.id });
    this.#tell({ name: 'stake_added', key: agent.id, stakeOwner: agent.id, amount, stake, start: 0 }, agent.id);
  }

  async report(...items: Item[]): Promise<void> {
    for (let at = 0; at < items.length; at += BODY) {
      const found = await this.#domain.ingest(items.slice(at, at + BODY).map(bytesOf), { ip: '127.0.0.1' });
      const refused = found.filter(({ status }) => status !== 'accepted');
      if (refused.length > 0) throw new Error(JSON.stringify(refused));
    }
  }

  /** The aggregator reads all that has happened. */
  async seen(): Promise<void> {
    const { space, epochs, dropped } = this.#domain;
    const parts = {
      ...{ space, epochs, settlement: this.#settlement(), log: silentLog, indexed: () => {} },
      dropped: (labels?: Record<string, string>) => void dropped.push(labels!['reason']!),
    };
    await new Indexer(parts).run(never);
    await readStakes(space, parts.settlement, this.now(), never);
    await readEscrows(parts, this.now(), never);
  }

  async scored(): Promise<void> {
    await this.seen();
    await this.#domain.score();
  }

  async find({ id }: TestAgent): Promise<Found | undefined> {
    const { space } = this.#domain;
    const [agent, found, run] = await Promise.all([
      space.get(agents.ref(id)),
      space.get(explanations.ref(id)),
      space.get(lastRunRef),
    ]);
    if (!agent) return undefined;
    const { score, rank } = agent.standing;
    return { score, rank, grounded: found?.grounded_usdc ?? 0, yardstick: run?.yardstick_usdc ?? 0 };
  }

  async close(): Promise<void> {
    clearInterval(this.#alive);
    await this.#domain.endScoring();
    await this.#domain.store.close();
  }

  async #end({ name }: AgreedDeal, event: 'escrow_approved' | 'escrow_refunded' | 'escrow_reclaimed'): Promise<void> {
    const escrow = this.#escrows.get(nameOf(name));
    if (!escrow) throw new Error(`${nameOf(name)} is not locked`);
    this.#escrows.delete(nameOf(name));
    const { amount, bond, payee } = escrow;
    const isPaid = event === 'escrow_approved';
    const paid = {
      toProvider: isPaid ? amount : 0n,
      toRequester: isPaid ? bond : amount + bond,
      burnt: 0n,
      remaining: 0n,
    };
    const by = event === 'escrow_refunded' ? name.provider : name.requester;
    this.#tell({ ...name, amount, ...paid, ...(isPaid ? { name: event, payee } : { name: event }) } as EventFacts, by);
  }

  #tell(facts: EventFacts, feePayer: string): void {
    const slot = this.#events.length + 1;
    const place = { signature: `step ${slot}`, ordinal: 0, slot, time: this.#secs(), feePayer };
    this.#events.push({ ...place, ...facts } as SettlementEvent);
  }

  #account(key: string): AgentAccount {
    const none = {
      start: 0,
      last: 0,
      lastAt: 0,
      lastSlot: 0,
      duties: false,
      settledEpoch: 0,
      until: 0,
      requestedAt: 0,
    };
    return (
      this.#accounts.get(key) ?? {
        ...{ ...none, address: key, key, agentId: key, state: 'none', stake: 0n, stakeOwner: null },
        ...{ open: 0, skipped: [], batches: [], paidThrough: 0, payments: 0 },
      }
    );
  }

  #secs(): number {
    return Math.floor(this.now() / 1_000);
  }

  /** The part of the port that the aggregator's readers use. */
  #settlement(): Settlement {
    const events = this.#events;
    const slot = () => events.length;
    const port: Pick<Settlement, 'deployment' | 'escrows' | 'agents' | 'events' | 'escrowEvents'> = {
      deployment: { programId: CONFIG, config: CONFIG, treasury: CONFIG, network: network.id },
      escrows: async (names) => ({ slot: slot(), value: names.map((name) => this.#escrows.get(nameOf(name))) }),
      agents: async (keys) => ({ slot: slot(), value: keys.map((key) => this.#accounts.get(key)) }),
      async events(after, limit) {
        const from = after === undefined ? 0 : Number(after);
        const entries = events.slice(from, from + limit);
        return { entries, cursor: String(from + entries.length) };
      },
      async escrowEvents(name) {
        const entries = events.filter((one) => 'conversation' in one && nameOf(one) === nameOf(name));
        return { entries, cursor: String(entries.length) };
      },
    };
    return port as Settlement;
  }
}

function nameOf({ requester, provider, conversation }: EscrowName): string {
  return `${requester} ${provider} ${conversation}`;
}

function bytesOf(item: Item) {
  const { envelope_b64: whole, receipt_b64: receipt } = item as { envelope_b64?: string; receipt_b64?: string };
  const bytes = new Uint8Array(Buffer.from((whole ?? receipt)!, 'base64'));
  return { kind: whole === undefined ? ('receipt' as const) : ('envelope' as const), bytes };
}
