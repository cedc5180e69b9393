import { formatUsdc, type Health, invalidField, type Log } from '../../core/plugin.ts';
import type { Clock, Space } from '../../core/services.ts';
import { minorOf } from './amounts.ts';
import { available, type Books, GATEWAY, sides } from './books.ts';
import type { BillingConfig } from './config.ts';
import type { DepositKeys } from './deposit-keys.ts';
import { pauseOf } from './pauses.ts';
import { CHAINS, type Chain, SOLANA } from './settlement/chains.ts';
import type { Gateway } from './settlement/gateway.ts';
import { type DepositorAccount, depositors, sums } from './stored.ts';

export interface GatewayDepositsOptions {
  readonly space: Space;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: BillingConfig;
  readonly books: Books;
  readonly keys: DepositKeys | undefined;
  /** Undefined where deposits are taken on Solana alone. */
  readonly gateway: Gateway | undefined;
}

const BATCH = 20;
const MINUTE = 60_000;
const OK: Health = { state: 'ok' };

/**
 * Deposits on EVM chains: each agent has a depositor at the gateway, whose balance is compared with what was credited. A balance that falls
 * is credited no second time when it rises again, since an answer may be from before.
 */
export class GatewayDeposits {
  readonly #options: GatewayDepositsOptions;
  /** Depositors whose money waits for room below the cap. */
  readonly #waiting = new Map<string, bigint>();

  constructor(options: GatewayDepositsOptions) {
    this.#options = options;
  }

  /** The depositor of an agent on a chain; its balance is watched closely from now on. */
  async open(agent: string, { name, gateway: isThere }: Chain): Promise<string> {
    const { space, clock, keys, gateway } = this.#options;
    const here = gateway && keys ? CHAINS.filter((one) => one.gateway || one.name === SOLANA) : [{ name: SOLANA }];
    if (!gateway || !keys || !isThere)
      throw invalidField(
        '/chain',
        `is not a chain on which this aggregator takes deposits; those are: ${here.map((one) => one.name).join(', ')}`,
      );
    const address = await keys.evmDepositor(agent);
    const ref = depositors.ref(keyOf(agent, name));
    const now = clock.now();
    await space.tx([ref], (tx) =>
      tx.put(ref, { ...(tx.get(ref) ?? { agent, chain: name, address, credited: '0' }), asked: now, due: now }),
    );
    return address;
  }

  health(): Health {
    const [waiting] = this.#waiting;
    if (!waiting) return OK;
    return {
      state: 'degraded',
      detail: `deposits at the gateway wait: ${formatUsdc(waiting[1])} USDC of ${waiting[0]} would pass plugins.billing.maxAtGateway`,
      remedy: 'Raise plugins.billing.maxAtGateway once the wallet can pay as much.',
    };
  }

  /** Looks at every depositor that is due, one after another, so that the cap counts each before the next. */
  async run(signal: AbortSignal): Promise<void> {
    const { space, clock, log, gateway } = this.#options;
    if (!gateway) return;
    const rows = await space.page(depositors, { index: 'due', to: [clock.now() + 1], limit: BATCH });
    for (const { value } of rows) {
      if (signal.aborted) return;
      try {
        await this.#look(value, gateway);
      } catch (error) {
        if (!(error instanceof Error && error.name === 'SettlementError')) throw error;
        log.warn({ agent: value.agent, chain: value.chain, reason: String(error) }, 'the gateway could not be asked');
        await this.#later(value, MINUTE);
      }
    }
  }

  async #look(before: DepositorAccount, gateway: Gateway): Promise<void> {
    const { space, clock, config, books } = this.#options;
    const { agent, chain, address } = before;
    const key = keyOf(agent, chain);
    const [row] = CHAINS.filter(({ name }) => name === chain);
    const found = await gateway.balances('USDC', address, [row!.domainId]);
    const own = found.filter(
      (one) => one.domainId === row!.domainId && one.depositor.toLowerCase() === address && one.balance.minor > 0n,
    );
    const balance = own.reduce((sum, one) => sum + one.balance.minor, 0n);
    const amount = balance - BigInt(before.credited);
    const fits = amount <= 0n || (await space.total(sums.ref(GATEWAY))) + amount <= minorOf(config.maxAtGateway);
    if (fits) this.#waiting.delete(key);
    else this.#waiting.set(key, amount);
    const ref = depositors.ref(key);
    const now = clock.now();
    await space.tx([ref], (tx) => {
      const known = tx.get(ref)!;
      const later = { ...known, due: now + (fits ? pauseOf(known, now) : MINUTE) };
      if (amount <= 0n || !fits || known.credited !== before.credited) return tx.put(ref, later);
      books.post(tx, {
        kind: 'deposit',
        ref: `${chain} ${address} ${balance}`,
        lines: sides({ debit: GATEWAY, credit: available(agent) }, amount),
      });
      tx.put(ref, { ...later, credited: balance.toString() });
    });
  }

  async #later({ agent, chain }: DepositorAccount, ms: number): Promise<void> {
    const { space, clock } = this.#options;
    const ref = depositors.ref(keyOf(agent, chain));
    const due = clock.now() + ms;
    await space.tx([ref], (tx) => tx.put(ref, { ...tx.get(ref)!, due }));
  }
}

function keyOf(agent: string, chain: string): string {
  return `${agent}/${chain.replace(' ', '-')}`;
}
