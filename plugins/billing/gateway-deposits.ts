import { formatUsdc, type Health, invalidField, type Log } from '../../core/plugin.ts';
import type { Clock, Space } from '../../core/services.ts';
import { minorOf } from './amounts.ts';
import { available, type Books, GATEWAY, sides } from './books.ts';
import type { BillingConfig } from './config.ts';
import type { DepositKeys } from './deposit-keys.ts';
import { pauseOf } from './pauses.ts';
import { countReceived } from './reservations.ts';
import { Round } from './round.ts';
import { SettlementError } from './settlement/call-json.ts';
import { CHAINS, type Chain, chainNamed, SOLANA } from './settlement/chains.ts';
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

/** As many as the service is asked about at once. */
const BATCH = 20;
/** The most of one run that are watched: those that were due first go first. */
const WATCHED = 100;
/** Between two reads for depositors that nobody watches. */
const ROUND_READ_MS = 3_000;
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
  readonly #round: Round<DepositorAccount>;
  /** How many the service is asked about at once: fewer after it refused, and twice as many after a page that it answered. */
  #atOnce = BATCH;
  /** Those of the page that cannot be asked about, and how many there were in this round and in the last one. */
  readonly #past = new Set<string>();
  #notAsked = { now: 0, before: 0 };
  /** Of the last run: aborted once another process is the writer, which alone knows from then on. */
  #term: AbortSignal | undefined;
  #nextRead = 0;

  constructor(options: GatewayDepositsOptions) {
    this.#options = options;
    this.#round = new Round(options.space, depositors, BATCH);
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
    const ref = depositors.ref(depositorKey(agent, name));
    const now = clock.now();
    await space.tx([ref], (tx) =>
      tx.put(ref, { ...(tx.get(ref) ?? { agent, chain: name, address, credited: '0' }), asked: now, due: now }),
    );
    return address;
  }

  health(): Health {
    if (this.#term?.aborted) return OK;
    const [waiting] = this.#waiting;
    const notAsked = Math.max(this.#notAsked.now, this.#notAsked.before);
    if (waiting)
      return {
        state: 'degraded',
        detail: `deposits at the gateway wait: ${formatUsdc(waiting[1])} USDC of ${waiting[0]} would pass plugins.billing.maxAtGateway`,
        remedy: 'Raise plugins.billing.maxAtGateway once the wallet can pay as much.',
      };
    if (notAsked === 0) return OK;
    return {
      state: 'degraded',
      detail: `billing could not ask the gateway about ${notAsked} depositors in a round; a deposit there is not seen`,
      remedy: 'The log names them, with the answer of the gateway. Each is asked about again in every round.',
    };
  }

  /** Looks at the depositors that are due, and credits one after another, so that the cap counts each before the next. */
  async run(signal: AbortSignal): Promise<void> {
    const { space, clock, gateway } = this.#options;
    if (!gateway) return;
    if (this.#term?.aborted) this.#forget();
    this.#term = signal;
    const due = await space.page(depositors, { index: 'due', to: [clock.now() + 1], limit: WATCHED });
    const rows = due.map(({ value }) => value);
    for (let first = 0; first < rows.length && !signal.aborted; first += BATCH)
      if (!(await this.#watch(rows.slice(first, first + BATCH), gateway))) break;
    await this.#goRound(gateway);
  }

  /** Those that cannot be asked about together are asked about one by one. False when the service gave no answer. */
  async #watch(rows: readonly DepositorAccount[], gateway: Gateway): Promise<boolean> {
    const { log } = this.#options;
    try {
      await this.#compare(rows, gateway);
      return true;
    } catch (error) {
      if (!(error instanceof SettlementError)) throw error;
      if (error.isAnswer && rows.length > 1) {
        for (const row of rows) await this.#watch([row], gateway);
        return true;
      }
      for (const row of rows) {
        log.warn({ agent: row.agent, chain: row.chain, reason: String(error) }, 'the gateway could not be asked');
        await this.#later(row, MINUTE);
      }
      return error.isAnswer;
    }
  }

  #forget(): void {
    this.#waiting.clear();
    this.#past.clear();
    this.#notAsked = { now: 0, before: 0 };
  }

  /** Asks about the next depositors of the round over all of them, whoever watches: so a deposit is found months later too. */
  async #goRound(gateway: Gateway): Promise<void> {
    const now = this.#options.clock.now();
    if (now < this.#nextRead) return;
    this.#nextRead = now + ROUND_READ_MS;
    const page = await this.#round.next(now);
    if (!page) return;
    const rest = page.rows.filter(({ agent, chain }) => !this.#past.has(depositorKey(agent, chain)));
    if (!(await this.#askAbout(rest, gateway))) {
      this.#nextRead = now + MINUTE;
      return;
    }
    if (this.#past.size === 0) this.#atOnce = Math.min(BATCH, this.#atOnce * 2);
    this.#past.clear();
    if (!page.last) this.#notAsked = { now: 0, before: this.#notAsked.now };
    await this.#round.passed(page.last);
  }

  /** Passes one that the service refuses even alone. False when it gave no answer, so that the rest waits. */
  async #askAbout(rows: readonly DepositorAccount[], gateway: Gateway): Promise<boolean> {
    const { log } = this.#options;
    for (let first = 0; first < rows.length; ) {
      const some = rows.slice(first, first + this.#atOnce);
      try {
        await this.#compare(some, gateway);
        first += some.length;
      } catch (error) {
        if (!(error instanceof SettlementError)) throw error;
        const { agent, chain } = some[0]!;
        const about = { depositors: some.length, reason: String(error), ...(some.length === 1 && { agent, chain }) };
        if (some.length === 1 || !error.isAnswer) log.warn(about, 'the gateway could not be asked');
        this.#atOnce = Math.max(1, some.length >> 1);
        if (some.length === 1) {
          this.#past.add(depositorKey(agent, chain));
          this.#notAsked.now += 1;
          first += 1;
        }
        if (!error.isAnswer) return false;
      }
    }
    return true;
  }

  async #compare(rows: readonly DepositorAccount[], gateway: Gateway): Promise<void> {
    const found = await gateway.balancesOf(
      'USDC',
      rows.map(({ address, chain }) => ({ depositor: address, domainId: domainOf(chain) })),
    );
    for (const row of rows) {
      const own = found.filter(
        (one) => one.domainId === domainOf(row.chain) && one.depositor.toLowerCase() === row.address,
      );
      if (own.length > 1)
        throw new SettlementError(`the gateway answered another shape: it has ${row.address} more than once`);
      await this.#credit(row, own[0]?.balance.minor ?? 0n);
    }
  }

  async #credit(before: DepositorAccount, balance: bigint): Promise<void> {
    const { space, clock, config, books } = this.#options;
    const { agent, chain, address } = before;
    const key = depositorKey(agent, chain);
    const amount = balance - BigInt(before.credited);
    const fits = amount <= 0n || (await space.total(sums.ref(GATEWAY))) + amount <= minorOf(config.maxAtGateway);
    if (fits) this.#waiting.delete(key);
    else this.#waiting.set(key, amount);
    const ref = depositors.ref(key);
    const now = clock.now();
    await space.tx([ref], (tx) => {
      const found = tx.get(ref);
      if (!found) return;
      const { due: _, ...known } = found;
      const pause = fits ? pauseOf(known, now) : MINUTE;
      const later = { ...known, ...(pause !== undefined && { due: now + pause }) };
      if (amount <= 0n || !fits || known.credited !== before.credited) {
        tx.put(ref, later);
        return;
      }
      books.post(tx, {
        kind: 'deposit',
        ref: `${chain} ${address} ${balance}`,
        lines: sides({ debit: GATEWAY, credit: available(agent) }, amount),
      });
      countReceived(tx, agent, amount);
      tx.put(ref, { ...later, credited: balance.toString() });
    });
  }

  async #later({ agent, chain }: DepositorAccount, ms: number): Promise<void> {
    const { space, clock } = this.#options;
    const ref = depositors.ref(depositorKey(agent, chain));
    const due = clock.now() + ms;
    await space.tx([ref], (tx) => {
      const found = tx.get(ref);
      if (found) tx.put(ref, { ...found, due });
    });
  }
}

function domainOf(chain: string): number {
  return chainNamed(chain)!.domainId;
}

export function depositorKey(agent: string, chain: string): string {
  return `${agent}/${chain.replace(' ', '-')}`;
}
