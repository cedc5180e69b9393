import { readStakes } from '../../../core/aggregator/ledger/account-reader.ts';
import { readEscrows } from '../../../core/aggregator/ledger/escrow-reader.ts';
import { Indexer } from '../../../core/aggregator/ledger/indexer.ts';
import { sweepAfterGap } from '../../../core/aggregator/ledger/sweep.ts';
import { agents, type StoredAgent } from '../../../core/aggregator/store/agents.ts';
import { escrowRef, type StoredEscrow } from '../../../core/aggregator/store/ledger.ts';
import type { StoredDeeds, StoredPair } from '../../../core/aggregator/store/scores.ts';
import { deeds, pairRef } from '../../../core/aggregator/store/scores.ts';
import { ledgerSigner } from '../../../core/ledger/ledger.ts';
import type { Settlement } from '../../../core/ledger/settlement.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { type AgreedLock, agreedLock } from '../../../core/protocol/deals/agreed-lock.ts';
import { completeTerms } from '../../../core/protocol/deals/terms.ts';
import type { HistoryGap, SettlementEvent } from '../../../core/protocol/settlement/events.ts';
import type { EscrowName } from '../../../core/protocol/settlement/steps.ts';
import { type SettlementBench, SOL, USDC } from '../../ledger/settlement-bench.ts';
import { type SignedDeal, signDeal, TestAgent } from './agent.ts';
import { type Domain, openDomain } from './domain.ts';

export const never = new AbortController().signal;

export interface LockedDeal {
  readonly deal: SignedDeal;
  readonly payer: TestAgent;
  readonly worker: TestAgent;
  readonly name: EscrowName;
}

let count = 0;

/** The aggregator's functions over a store in memory and a real program, at the time of the ledger. */
export class LedgerDomain {
  readonly bench: SettlementBench;
  readonly domain: Domain;
  /** Names of the events that were indexed. */
  readonly indexed: string[] = [];

  private constructor(bench: SettlementBench, domain: Domain) {
    this.bench = bench;
    this.domain = domain;
  }

  /** Has read whatever happened before. */
  static async open(bench: SettlementBench): Promise<LedgerDomain> {
    const made = new LedgerDomain(bench, await openDomain());
    made.domain.clock.time = (await bench.settlement.time()).unixSeconds * 1000;
    await made.follow();
    made.indexed.length = 0;
    return made;
  }

  parts(settlement: Settlement = this.bench.settlement) {
    const { space, epochs, dropped } = this.domain;
    return {
      ...{ space, epochs, settlement, log: silentLog },
      indexed: (labels?: Record<string, string>) => void this.indexed.push(labels!['event']!),
      dropped: (labels?: Record<string, string>) => void dropped.push(labels!['reason']!),
    };
  }

  index(settlement?: Settlement): Promise<void> {
    return new Indexer(this.parts(settlement)).run(never);
  }

  async readAccounts(settlement: Settlement = this.bench.settlement): Promise<void> {
    const { space, clock } = this.domain;
    await sweepAfterGap(space, settlement.deployment.config, never);
    await readStakes(space, settlement, clock.time, never);
    await readEscrows(this.parts(settlement), clock.time, never);
  }

  /** What the job of the ledger does in one round. */
  async follow(settlement?: Settlement): Promise<void> {
    await this.index(settlement);
    await this.readAccounts(settlement);
  }

  async newAgent(usdc = 100n * USDC): Promise<TestAgent> {
    count += 1;
    const agent = new TestAgent(`on the ledger ${count}`, () => this.domain.clock.now());
    await this.bench.net.faucet.sol(agent.id, SOL);
    if (usdc > 0n) await this.bench.net.faucet.usdc(agent.id, usdc);
    return agent;
  }

  /** A deal over 40 USDC that both signed, with what was agreed locked, but for `changed`. */
  async lockedDeal(changed: Partial<AgreedLock> = {}, notary?: TestAgent): Promise<LockedDeal> {
    const [payer, worker] = [await this.newAgent(), await this.newAgent(0n)];
    const said = {
      ...{ amount_usdc_micro: 40n * USDC, escrow: true, deadline_secs: 7_200, review_secs: 7_200 },
      ...(notary && { notary: notary.id }),
    };
    const deal = signDeal(payer, worker, this.domain.clock.time, said);
    const name = { requester: payer.id, provider: worker.id, conversation: deal.conversation };
    const terms = completeTerms(
      { amount: '40000000', escrow: true, deadline_secs: 7_200, review_secs: 7_200, notary: notary?.id ?? null },
      undefined,
      0,
    );
    const accepted = { id: deal.accept.id, at: this.domain.clock.time + 1 };
    const lock = { type: 'lock', ...agreedLock({ ...name, terms, accepted }), ...changed } as const;
    await this.bench.take(lock, this.by(payer));
    return { deal, payer, worker, name };
  }

  /** The same, delivered on the ledger. */
  async deliveredDeal(changed?: Partial<AgreedLock>, notary?: TestAgent): Promise<LockedDeal> {
    const made = await this.lockedDeal(changed, notary);
    await this.bench.take({ type: 'deliver', ...made.name, delivery: made.deal.deliver.id }, this.by(made.worker));
    return made;
  }

  async dispute({ name, payer }: LockedDeal, offerBps = 0): Promise<void> {
    await this.bench.take({ type: 'dispute', ...name, offerBps }, this.by(payer));
  }

  async contest({ name, worker }: LockedDeal): Promise<void> {
    await this.bench.take({ type: 'contest', ...name, maxBps: 9_999 }, this.by(worker));
  }

  /** By anybody, when the time to contest is over. */
  async split({ name }: LockedDeal, seconds = 3 * 86_400 + 1): Promise<void> {
    this.advance(seconds);
    await this.bench.take({ type: 'split', ...name }, this.by(await this.newAgent(0n)));
  }

  /** The aggregator is told what both signed, whole. */
  async report({ deal }: LockedDeal): Promise<void> {
    await this.domain.take(deal.propose, deal.accept, deal.deliver);
  }

  /** The aggregator is told that there is a deal, and not of what. */
  async reportReceipts({ deal }: LockedDeal): Promise<void> {
    const receipts = [deal.propose, deal.accept].map(({ receipt }) => ({
      kind: 'receipt' as const,
      bytes: new Uint8Array(Buffer.from(receipt.receipt_b64, 'base64')),
    }));
    await this.domain.ingest(receipts, { ip: '127.0.0.1' });
  }

  advance(seconds: number): void {
    this.bench.net.warp({ seconds });
    this.domain.clock.time += seconds * 1000;
  }

  by(agent: TestAgent) {
    return ledgerSigner(agent.identity);
  }

  escrow(name: EscrowName): Promise<StoredEscrow | undefined> {
    return this.domain.space.get(escrowRef(name));
  }

  async standingOf(agent: TestAgent): Promise<StoredAgent['standing']> {
    return (await this.domain.space.get(agents.ref(agent.id)))!.standing;
  }

  deedsOf(agent: TestAgent): Promise<StoredDeeds | undefined> {
    return this.domain.space.get(deeds.ref(agent.id));
  }

  /** What one paid the other, and said of it. */
  pairOf(from: TestAgent, to: TestAgent): Promise<StoredPair | undefined> {
    return this.domain.space.get(pairRef(from.id, to.id));
  }

  close(): Promise<void> {
    return this.domain.store.close();
  }
}

/** A ledger that never tells these events; a gap stands where they were when `reason` is given. */
export function hiding(settlement: Settlement, names: readonly string[], reason?: HistoryGap['reason']): Settlement {
  const shown = (entries: readonly (SettlementEvent | HistoryGap)[]) =>
    entries.flatMap((entry): (SettlementEvent | HistoryGap)[] => {
      if (!names.includes(entry.name)) return [entry];
      const { slot, signature } = entry;
      return reason ? [{ name: 'gap', reason, slot, signature }] : [];
    });
  return {
    ...settlement,
    async events(after, limit) {
      // The end of the history is a page without entries: a page of which nothing is left is passed over.
      for (let from = after; ; ) {
        const { entries, cursor } = await settlement.events(from, limit);
        const left = shown(entries);
        if (left.length > 0 || entries.length === 0) return { entries: left, cursor };
        from = cursor;
      }
    },
    async escrowEvents(name, after, limit) {
      const page = await settlement.escrowEvents(name, after, limit);
      return { ...page, entries: reason ? shown(page.entries) : page.entries };
    },
  };
}
