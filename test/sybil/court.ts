import type { TestAgent } from '../aggregator/support/agent.ts';
import type { Item } from '../aggregator/support/aggregator.ts';
import { type AgreedDeal, minorUnits } from '../aggregator/support/agreed-deals.ts';
import { LiveLedger } from '../aggregator/support/live-ledger.ts';
import type { Standing } from './standings.ts';

export interface Found extends Standing {
  readonly yardstick: number;
}

/** An aggregator and a ledger that it reads, at a time that the play moves. */
export interface Court {
  now(): number;
  advance(seconds: number): void;
  agent(name: string): TestAgent;
  /** `isNew`: it has no lamports for fees yet. */
  fund(agent: TestAgent, usdc: number, isNew: boolean): Promise<void>;
  lock(deal: AgreedDeal, amount?: bigint): Promise<void>;
  approve(deal: AgreedDeal): Promise<void>;
  refund(deal: AgreedDeal): Promise<void>;
  reclaim(deal: AgreedDeal): Promise<void>;
  payLease(agent: TestAgent, epochs: number, amount: bigint): Promise<void>;
  addStake(agent: TestAgent, amount: bigint): Promise<void>;
  report(...items: Item[]): Promise<void>;
  /** Until the aggregator has seen how the escrow stands. */
  seen(deal: AgreedDeal, state: string): Promise<void>;
  /** Until everything that was reported and seen is scored. */
  scored(): Promise<void>;
  /** Undefined where the aggregator knows nothing. */
  find(agent: TestAgent): Promise<Found | undefined>;
  close(): Promise<void>;
}

/** A whole aggregator behind HTTP, and the real program on a localnet. */
export async function liveCourt(anchors: readonly string[]): Promise<Court> {
  const live = await LiveLedger.open(anchors);
  return {
    now: () => live.clock.now(),
    advance: (seconds) => live.mesh.advance(seconds),
    agent: (name) => live.agent(name),
    async fund(agent, usdc, isNew) {
      if (isNew) await live.fund(agent, usdc);
      else if (usdc > 0) await live.mesh.localnet.faucet.usdc(agent.id, minorUnits(usdc));
    },
    lock: async (deal, amount) => void (await live.lock(deal, amount)),
    approve: async (deal) => void (await live.approve(deal)),
    refund: async (deal) => void (await live.refund(deal)),
    reclaim: async (deal) => void (await live.take({ type: 'reclaim', ...deal.name }, deal.payer)),
    async payLease(agent, epochs, maxAmount) {
      await live.take({ type: 'pay_lease', key: agent.id, epochs, maxAmount, payments: 0 }, agent);
      await live.accountRead(agent, ({ lease_status }) => lease_status === 'active');
    },
    async addStake(agent, amount) {
      await live.take({ type: 'add_stake', key: agent.id, stakeOwner: agent.id, amount, payments: 0 }, agent);
      await live.accountRead(agent, ({ stake_usdc }) => stake_usdc > 0);
    },
    report: (...items) => live.report(...items),
    seen: (deal, state) => live.seen(deal, state),
    scored: () => live.scoredSince(live.clock.now()),
    async find(agent) {
      const found = await live.find(`/reputation/${agent.id}`);
      if (!found) return undefined;
      const { score, lower_bound: rank, grounded_usdc: grounded, yardstick_usdc: yardstick } = found;
      return { score, rank, grounded, yardstick };
    },
    close: () => live.stop(),
  };
}
