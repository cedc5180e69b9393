import { USDC_MINT } from '../../adapters/localnet/addresses.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import { paidConversation } from '../../core/node/payments/memo.ts';
import type { EscrowAccount } from '../../core/protocol/settlement/accounts.ts';
import type { SettlementEvent } from '../../core/protocol/settlement/events.ts';
import type { EscrowName } from '../../core/protocol/settlement/steps.ts';
import { rpc } from '../localnet/cluster.ts';

/** What one transaction did with USDC, by wallet, and what the settlement program says of it. */
export interface Movement {
  readonly signature: string;
  /** Unix seconds. */
  readonly at: number;
  /** The conversation that a plain transfer names. */
  readonly paid: string | undefined;
  readonly deltas: ReadonlyMap<string, bigint>;
  readonly events: SettlementEvent[];
}

export type EscrowHistory = EscrowName & { readonly events: SettlementEvent[] };

interface Listed {
  readonly signature: string;
  readonly memo: string | null;
}

const PAGE = 500;
/**
 * All that the ledger holds and ever did, read through an RPC without faults: transaction by transaction what every wallet
 * gained and lost, and the events of the settlement program.
 */
export class Books {
  readonly url: string;
  readonly ledger: Ledger;
  /** Every transaction that moved USDC of a wallet or meant something to the program, by signature, oldest first. */
  readonly movements = new Map<string, Movement>();
  readonly events: SettlementEvent[] = [];
  readonly gaps: string[] = [];
  /** By conversation, requester and provider: a stranger can lock under any conversation. */
  readonly escrows = new Map<string, EscrowHistory>();
  readonly #wallets = new Set<string>();
  readonly #newest = new Map<string, string>();
  #cursor: string | undefined;

  constructor(url: string, ledger: Ledger) {
    this.url = url;
    this.ledger = ledger;
  }

  get settlement() {
    return this.ledger.settlement!;
  }

  get wallets(): readonly string[] {
    return [...this.#wallets];
  }

  watch(wallet: string): void {
    this.#wallets.add(wallet);
  }

  /** Reads what is new. */
  async read(): Promise<void> {
    for (const wallet of this.#wallets) await this.#readWallet(wallet);
    for (;;) {
      const { entries, cursor } = await this.settlement.events(this.#cursor, PAGE);
      if (entries.length === 0) return;
      this.#cursor = cursor;
      for (const entry of entries) {
        if (entry.name === 'gap') this.gaps.push(`${entry.reason} ${entry.signature}`);
        else await this.#take(entry);
      }
    }
  }

  async #readWallet(wallet: string): Promise<void> {
    const { value } = await this.#ask('getTokenAccountsByOwner', [wallet, { mint: USDC_MINT }, { encoding: 'base64' }]);
    for (const { pubkey } of value as { pubkey: string }[]) {
      const until = this.#newest.get(pubkey);
      const fresh: Listed[] = [];
      for (let before: string | undefined; ; before = fresh.at(-1)!.signature) {
        const limits = { ...(until && { until }), ...(before && { before }), limit: 1000 };
        const page: Listed[] = await this.#ask('getSignaturesForAddress', [pubkey, limits]);
        fresh.push(...page);
        if (page.length < 1000) break;
      }
      if (fresh[0]) this.#newest.set(pubkey, fresh[0].signature);
      for (const { signature, memo } of fresh.reverse()) await this.#movement(signature, memo);
    }
  }

  async #movement(signature: string, memo: string | null = null): Promise<Movement> {
    const known = this.movements.get(signature);
    if (known) return known;
    const found = await this.#ask('getTransaction', [
      signature,
      { encoding: 'json', maxSupportedTransactionVersion: 255 },
    ]);
    const { meta, blockTime } = found;
    const deltas = new Map<string, bigint>();
    const add = (balances: any[], sign: bigint) => {
      for (const { mint, owner, uiTokenAmount } of balances)
        if (mint === USDC_MINT) deltas.set(owner, (deltas.get(owner) ?? 0n) + sign * BigInt(uiTokenAmount.amount));
    };
    if (meta.err === null) {
      add(meta.postTokenBalances, 1n);
      add(meta.preTokenBalances, -1n);
    }
    const text = memo === null ? null : memo.replace(/^\[\d+\] /, '');
    const movement = { signature, at: blockTime, paid: paidConversation(text), deltas, events: [] };
    this.movements.set(signature, movement);
    return movement;
  }

  async #take(event: SettlementEvent): Promise<void> {
    this.events.push(event);
    const { events } = await this.#movement(event.signature);
    events.push(event);
    if (!('conversation' in event)) return;
    const { requester, provider, conversation } = event;
    const key = keyOf({ requester, provider, conversation });
    const history = this.escrows.get(key) ?? { requester, provider, conversation, events: [] };
    this.escrows.set(key, history);
    history.events.push(event);
  }

  escrow(name: EscrowName): readonly SettlementEvent[] {
    return this.escrows.get(keyOf(name))?.events ?? [];
  }

  /** Escrows that were locked and have not ended, as their accounts are now. */
  async openEscrows(): Promise<readonly EscrowAccount[]> {
    const open = [...this.escrows.values()].filter(isOpen);
    const found: EscrowAccount[] = [];
    for (let first = 0; first < open.length; first += 100) {
      const { value } = await this.settlement.escrows(open.slice(first, first + 100));
      for (const account of value) if (account) found.push(account);
    }
    return found;
  }

  async supply(): Promise<bigint> {
    return BigInt((await this.#ask('getTokenSupply', [USDC_MINT])).value.amount);
  }

  /** USDC in a token account; 0 when there is none. */
  async held(tokenAccount: string): Promise<bigint> {
    const { value } = await this.#ask('getAccountInfo', [tokenAccount, { encoding: 'base64' }]);
    return value ? Buffer.from(value.data[0], 'base64').readBigUInt64LE(64) : 0n;
  }

  async #ask(method: string, params: unknown[]): Promise<any> {
    const { result, error } = await rpc(this.url, method, params);
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }
}

export function isOpen({ events }: EscrowHistory): boolean {
  const locked = events.findLastIndex(({ name }) => name === 'escrow_locked');
  return !events.slice(locked).some(isEnd);
}

/** Whether nothing is left of the escrow after this event. */
export function isEnd(event: SettlementEvent): boolean {
  return 'remaining' in event && event.remaining === 0n;
}

function keyOf({ requester, provider, conversation }: EscrowName): string {
  return `${conversation} ${requester} ${provider}`;
}

/** How a step of the settlement program changes what wallets hold, where it goes as agreed. */
export function effects(event: SettlementEvent, treasury: string): [wallet: string, amount: bigint][] {
  switch (event.name) {
    case 'escrow_locked':
      return [[event.requester, -event.amount - event.bond]];
    case 'escrow_approved':
    case 'escrow_refunded':
    case 'escrow_reclaimed':
    case 'escrow_claimed':
    case 'escrow_decided':
    case 'escrow_split':
      return [
        [event.provider, event.toProvider],
        [event.requester, event.toRequester],
      ];
    case 'lease_paid':
      return [
        [event.payer, -event.amount],
        [treasury, event.amount],
      ];
    case 'stake_added':
      return [[event.stakeOwner, -event.amount]];
    case 'stake_withdrawn':
      return [[event.stakeOwner, event.amount]];
    case 'agent_slashed':
      return [
        [event.beneficiary, event.bounty],
        [treasury, event.amount - event.bounty],
      ];
    default:
      return [];
  }
}
