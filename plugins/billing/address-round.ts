import { isMeshError, type Log } from '../../core/plugin.ts';
import type { Clock, LedgerAccounts, Space } from '../../core/services.ts';
import type { Deposits } from './deposits.ts';
import { fits, heldAt, READ_AT_ONCE } from './held.ts';
import { Round } from './round.ts';
import { addresses, type DepositAddress } from './stored.ts';

export interface AddressRoundOptions {
  readonly space: Space;
  readonly ledger: LedgerAccounts;
  readonly clock: Clock;
  readonly log: Log;
  readonly deposits: Deposits;
}

/** A deposit address whose balance on the ledger is another than the books have for it. */
export interface Difference {
  readonly agent: string;
  readonly address: string;
  readonly held: bigint;
  readonly booked: bigint;
  /** How many reads in a row found it. */
  readonly seen: number;
  /** When it is read again. */
  readonly again: number;
}

/** The sums of a round that was gone from its begin to its end. */
export interface Rounded {
  readonly addresses: number;
  readonly held: bigint;
  readonly booked: bigint;
  readonly from: number;
  readonly to: number;
}

const PAGE = READ_AT_ONCE;
const MINUTE = 60_000;
/** The most that are kept; beyond, only their number counts. */
const KEPT = 1_000;
/** A deposit may become final between two reads, so only a difference that stays is one. */
const READS = 2;

/**
 * Holds every deposit address against its balance on the ledger, a hundred with one read and one read a second, however many there are. One
 * that differs from the books is looked at, so money at an address that nobody watches is found; a difference that stays is told.
 */
export class AddressRound {
  readonly #options: AddressRoundOptions;
  readonly #round: Round<DepositAddress>;
  readonly #differences = new Map<string, Difference>();
  /** Those beyond: in the round that runs, and in the two before it. */
  #beyond = [0, 0, 0];
  /** Of the last run: aborted once another process is the writer, which alone knows from then on. */
  #term: AbortSignal | undefined;
  #sums: Omit<Rounded, 'to'> | undefined;
  #rounded: Rounded | undefined;
  #resting = 0;

  constructor(options: AddressRoundOptions) {
    this.#options = options;
    this.#round = new Round(options.space, addresses, PAGE);
  }

  /** Those that were found twice. */
  get differences(): readonly Difference[] {
    if (this.#term?.aborted) return [];
    return [...this.#differences.values()].filter(({ seen }) => seen >= READS);
  }

  /** How many there are beyond those that are kept, in each of the last two rounds. */
  get more(): number {
    return this.#term?.aborted ? 0 : Math.min(this.#beyond[1]!, this.#beyond[2]!);
  }

  get rounded(): Rounded | undefined {
    return this.#term?.aborted ? undefined : this.#rounded;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { ledger, clock, log } = this.#options;
    if (this.#term?.aborted) this.#forget();
    this.#term = signal;
    const now = clock.now();
    if (!ledger.cluster || now < this.#resting) return;
    try {
      await this.#step(now);
    } catch (error) {
      if (!isMeshError(error)) throw error;
      log.warn({ reason: String(error) }, 'the balances of deposit addresses could not be read');
      this.#resting = now + MINUTE;
    }
  }

  #forget(): void {
    this.#differences.clear();
    this.#beyond = [0, 0, 0];
    this.#rounded = undefined;
    this.#sums = undefined;
  }

  async #step(now: number): Promise<void> {
    const again = [...this.#differences.values()].filter((one) => one.again <= now).slice(0, PAGE);
    if (again.length > 0) {
      await this.#hold(await this.#rows(again.map(({ agent }) => agent)));
      return;
    }
    const page = await this.#round.next(now);
    if (!page) return;
    if (page.first) {
      this.#sums = { addresses: 0, held: 0n, booked: 0n, from: now };
      this.#beyond = [0, ...this.#beyond.slice(0, 2)];
    }
    const { held, booked } = await this.#hold(page.rows);
    const before = this.#sums;
    this.#sums = before && {
      ...{ from: before.from, addresses: before.addresses + page.rows.length },
      ...{ held: before.held + held, booked: before.booked + booked },
    };
    await this.#round.passed(page.last);
    if (page.last) return;
    if (this.#sums) this.#rounded = { ...this.#sums, to: this.#options.clock.now() };
    this.#sums = undefined;
  }

  /** Compares. One that differs or is to be emptied is looked at by the job of the deposits, which no second one may do beside it. */
  async #hold(rows: readonly DepositAddress[]): Promise<{ held: bigint; booked: bigint }> {
    const { deposits } = this.#options;
    const balances = await heldAt(this.#options, rows);
    let [held, booked] = [0n, 0n];
    for (const [index, row] of rows.entries()) {
      const balance = balances[index]!;
      const agrees = fits(row, balance);
      if (!agrees || (row.due === undefined && deposits.isToBeSwept(row))) await deposits.wake(row.agent);
      this.#note(row, balance);
      if (this.#isToBeReadAnew(row.agent)) await deposits.readAnew(row.agent);
      held += balance;
      booked += agrees ? balance : BigInt(row.unswept);
    }
    return { held, booked };
  }

  /** After twice as many reads each time, so that one whose money no RPC shows costs little. */
  #isToBeReadAnew(agent: string): boolean {
    const { held = 0n, booked = 0n, seen = 0 } = this.#differences.get(agent) ?? {};
    return held > booked && seen >= READS && Number.isInteger(Math.log2(seen));
  }

  #note(row: DepositAddress, held: bigint): void {
    const { agent, address } = row;
    if (fits(row, held)) {
      this.#differences.delete(agent);
      return;
    }
    const booked = BigInt(row.unswept);
    const known = this.#differences.get(agent);
    if (!known && this.#differences.size >= KEPT) {
      this.#beyond[0]! += 1;
      return;
    }
    const same = known && known.held - known.booked === held - booked;
    const again = this.#options.clock.now() + MINUTE;
    this.#differences.set(agent, { agent, address, held, booked, seen: same ? known.seen + 1 : 1, again });
  }

  async #rows(agents: readonly string[]): Promise<DepositAddress[]> {
    const found = await Promise.all(agents.map((agent) => this.#options.space.get(addresses.ref(agent))));
    return found.filter((row) => row !== undefined);
  }
}
