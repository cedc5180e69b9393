import type { SchemaTypes } from '../../../schemas/types.ts';
import type { RateLimiter } from '../../http/limits.ts';
import type { Ledger, Signer } from '../../ledger/ledger.ts';
import type { RecordedTransactions } from '../../ledger/recorded-transactions.ts';
import type { Random } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { HostedIdentity } from '../../protocol/signer/agent-signer.ts';
import type { Space } from '../../storage/space.ts';
import { historyPage } from '../history/history-page.ts';
import { sweepView, sweepWishOf } from '../requests/sweeps.ts';
import { balancesOf, withoutLedger } from '../wallet/balances.ts';
import { Sweeps } from '../wallet/sweeps.ts';

/** The ledger as the agents beside a node's own use it. */
export interface WalletGround {
  readonly ledger: Ledger;
  /** Recorded apart from those of the node's own wallet: however many wait, its own go on. */
  readonly transactions: RecordedTransactions;
  /** Questions to the ledger of all these agents together. */
  readonly asks: RateLimiter;
}

export interface AgentWalletOptions {
  /** Undefined on a node without a ledger. */
  readonly ground: WalletGround | undefined;
  /** The agent's. */
  readonly space: Space;
  readonly identity: HostedIdentity;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly log: Log;
}

const ALL = 'all';

/** The ledger account of an agent beside the node's own. Its own SOL pays the fees, so that no stranger spends the node's. */
export class AgentWallet {
  readonly #options: AgentWalletOptions;
  readonly #sweeps: Sweeps | undefined;

  constructor(options: AgentWalletOptions) {
    const { ground, identity, ...rest } = options;
    this.#options = options;
    const signer: Signer = {
      address: identity.address,
      sign: (message) => identity.signTransaction(message),
    };
    this.#sweeps =
      ground &&
      new Sweeps({
        ...{ ...rest, ledger: ground.ledger, transactions: ownOf(ground.transactions, identity.address), signer },
        // No deal pays from this wallet, and its owner names the destination in each call.
        ...{ allowed: undefined, reserved: async () => 0n },
      });
  }

  async balances(): Promise<SchemaTypes['portfolio-balances']> {
    const { ground, identity } = this.#options;
    ground?.asks.take(ALL);
    return balancesOf(identity.address, ground?.ledger);
  }

  async holdsUsdc(): Promise<boolean> {
    const { ground, identity } = this.#options;
    if (!ground) return false;
    ground.asks.take(ALL);
    return (await ground.ledger.usdc(identity.address)) > 0n;
  }

  async sweep(request: SchemaTypes['sweep-request'], call: string | undefined): Promise<SchemaTypes['sweep']> {
    const { ground } = this.#options;
    const wish = sweepWishOf(request, call);
    if (!ground || !this.#sweeps) throw withoutLedger();
    ground.asks.take(ALL);
    return sweepView(await this.#sweeps.sweep(wish));
  }

  /** Sweeps that ended while nobody looked are written into it first. */
  async history(query: SchemaTypes['history-query']): Promise<SchemaTypes['history-page']> {
    const { space, signal } = this.#options;
    await this.#sweeps?.run(signal);
    return historyPage(space, query);
  }
}

/** The transactions of one agent, among those of all. */
function ownOf(all: RecordedTransactions, agent: string): Pick<RecordedTransactions, 'carryOut' | 'find'> {
  return {
    carryOut: (name, ...given) => all.carryOut(`${agent}/${name}`, ...given),
    find: (name) => all.find(`${agent}/${name}`),
  };
}
