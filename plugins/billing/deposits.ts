import { type AskedAgain, isMeshError, type Log, MeshError, putOff, withPassedOver } from '../../core/plugin.ts';
import type { Clock, IncomingTransfer, LedgerAccounts, Self, Space, Transactions, Tx } from '../../core/services.ts';
import { minorOf } from './amounts.ts';
import { available, type Books, DEPOSITS, sides, TREASURY } from './books.ts';
import type { BillingConfig } from './config.ts';
import type { DepositKeys } from './deposit-keys.ts';
import { pauseOf } from './pauses.ts';
import { nameOf, type Payouts } from './payouts.ts';
import { countReceived } from './reservations.ts';
import { tokenAccountOf } from './settlement/solana/addresses.ts';
import { createTokenAccount, transferUsdc } from './settlement/solana/tokens.ts';
import { buildTransaction } from './settlement/solana/transaction.ts';
import { addresses, credited, type DepositAddress } from './stored.ts';

export interface DepositsOptions {
  readonly space: Space;
  readonly ledger: LedgerAccounts;
  readonly transactions: Transactions;
  readonly self: Self;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: BillingConfig;
  readonly books: Books;
  readonly payouts: Payouts;
  /** Undefined without a ledger. */
  readonly keys: DepositKeys | undefined;
}

const TRANSFERS = 50;
const MINUTE = 60_000;
/** Fees, and the rent of the wallet's own account at the first sweep. */
const SWEEP_LAMPORTS = 5_000_000n;
const SWEEP_MS = 5_000;

/** Deposit addresses on Solana: one for each agent, watched at finality, emptied into the wallet of this aggregator. */
export class Deposits {
  readonly #options: DepositsOptions;

  constructor(options: DepositsOptions) {
    this.#options = options;
  }

  /** The address of an agent; it is watched closely from now on. */
  async open(agent: string): Promise<string> {
    const { space, clock, ledger, keys } = this.#options;
    if (!ledger.cluster || !keys)
      throw new MeshError('ledger_unavailable', 'This aggregator has no ledger, and nobody would see the deposit.');
    const ref = addresses.ref(agent);
    const now = clock.now();
    const known = await space.get(ref);
    const address = known?.address ?? keys.depositor(agent).address;
    const account = known?.account ?? tokenAccountOf(address, ledger.usdcMint!);
    await space.tx([ref], (tx) => {
      const found = { ...(tx.get(ref) ?? { agent, address, unswept: '0', sweeps: 0 }), account };
      tx.put(ref, { ...found, asked: now, due: now });
    });
    return address;
  }

  /** Has an address looked at next, whoever watches it. One that is due already keeps its turn. */
  async wake(agent: string): Promise<void> {
    const { space, clock } = this.#options;
    const ref = addresses.ref(agent);
    const now = clock.now();
    await space.tx([ref], (tx) => {
      const found = tx.get(ref);
      if (found && (found.due === undefined || found.due > now)) tx.put(ref, { ...found, due: now });
    });
  }

  /**
   * Has the history of an address read from its begin: it holds money behind the place up to which it was read, where an RPC had shown
   * too little, or another history. A deposit is credited once for its transaction, however often it is read.
   */
  async readAnew(agent: string): Promise<void> {
    const { space, clock, log } = this.#options;
    const ref = addresses.ref(agent);
    const now = clock.now();
    await space.tx([ref], (tx) => {
      const found = tx.get(ref);
      if (!found) return;
      const { cursor: _, ...rest } = found;
      tx.put(ref, { ...rest, due: now });
    });
    log.warn({ agent }, 'a deposit address holds more than its history showed, which is read anew');
  }

  /** Whether an address is being emptied, or holds enough to be. */
  isToBeSwept({ unswept, sweep }: Pick<DepositAddress, 'unswept' | 'sweep'>): boolean {
    return sweep !== undefined || BigInt(unswept) >= minorOf(this.#options.config.sweepFrom);
  }

  /** Whether its history is to be read whatever it holds. */
  hasWork({ sweep, unswept, passedOver = [] }: DepositAddress, now: number): boolean {
    return this.isToBeSwept({ unswept, ...(sweep && { sweep }) }) || passedOver.some(({ again }) => again <= now);
  }

  /** Looks at an address that is due; one whose history cannot be read is due again in a minute. */
  async look(row: DepositAddress): Promise<void> {
    const { log } = this.#options;
    await this.#look(row).catch(async (error: unknown) => {
      if (!isMeshError(error)) throw error;
      log.warn({ agent: row.agent, reason: String(error) }, 'a deposit address could not be looked at');
      await this.#later(row.agent, MINUTE);
    });
  }

  async #look(before: DepositAddress): Promise<void> {
    const { ledger } = this.#options;
    const page = await ledger.incomingUsdc(before.address, before.cursor, TRANSFERS);
    const after = await this.#credit(before, page);
    if (!after || page.more) return;
    await this.#askAgain(after);
    if (after.sweep) await this.#sweep(after, after.sweep);
    else if (this.isToBeSwept(after)) await this.#reserveSweep(after);
  }

  /** Credits a page of transfers, and goes on to the next; undefined when somebody else was faster. */
  async #credit(
    before: DepositAddress,
    page: Awaited<ReturnType<LedgerAccounts['incomingUsdc']>>,
  ): Promise<DepositAddress | undefined> {
    const { space, clock } = this.#options;
    const ref = addresses.ref(before.agent);
    const marks = page.transfers.map((one) => markOf(before.agent, one));
    const now = clock.now();
    const { value } = await space.tx([ref, ...marks], (tx) => {
      const found = tx.get(ref);
      if (!found || found.cursor !== before.cursor) return undefined;
      const unswept = page.transfers.reduce(
        (sum, one) => sum + this.#post(tx, found.agent, one),
        BigInt(found.unswept),
      );
      // A history that is read anew shows some that were passed over before.
      const read = new Set(page.transfers.map(({ signature }) => signature));
      const kept = found.passedOver?.filter(({ signature }) => !read.has(signature));
      const passedOver = withPassedOver(kept, page.passedOver, now);
      const { due: _due, passedOver: _passed, ...rest } = found;
      const row = { ...rest, unswept: unswept.toString(), ...(passedOver.length > 0 && { passedOver }) };
      const due = page.more ? now : this.dueAfter(row, now);
      const after: DepositAddress = {
        ...row,
        ...(due !== undefined && { due }),
        ...(page.cursor !== undefined && { cursor: page.cursor }),
      };
      tx.put(ref, after);
      return after;
    });
    return value;
  }

  /** An address with a transaction that is to be asked for again is looked at for its sake, and one that is to be emptied until it is. */
  dueAfter(row: DepositAddress, now: number): number | undefined {
    const { passedOver = [] } = row;
    const pause = pauseOf(row, now);
    if (pause !== undefined) return now + pause;
    if (this.isToBeSwept(row)) return now + SWEEP_MS;
    return passedOver.length === 0
      ? undefined
      : Math.max(now + MINUTE, Math.min(...passedOver.map(({ again }) => again)));
  }

  /** Credits a transfer, once; the amount that it adds. */
  #post(tx: Tx, agent: string, { signature, amount }: IncomingTransfer): bigint {
    const { books, payouts } = this.#options;
    const mark = markOf(agent, { signature });
    if (tx.get(mark) || amount <= 0n) return 0n;
    books.post(tx, {
      kind: 'deposit',
      ref: signature,
      lines: sides({ debit: DEPOSITS, credit: available(agent) }, amount),
    });
    countReceived(tx, agent, amount);
    tx.put(mark, { agent, amount: amount.toString(), at: tx.now });
    payouts.deposited(tx, agent, signature, amount);
    return amount;
  }

  /** One of the transactions that were passed over. It may be a deposit, so none is given up. */
  async #askAgain({ agent, address, passedOver = [] }: DepositAddress): Promise<void> {
    const { space, ledger, clock, log } = this.#options;
    const one = passedOver.find(({ again }) => again <= clock.now());
    if (!one) return;
    const ref = addresses.ref(agent);
    const put = (tx: Tx, list: readonly AskedAgain[], change: Partial<DepositAddress> = {}) => {
      const { passedOver: _, ...found } = tx.get(ref)!;
      tx.put(ref, { ...found, ...change, ...(list.length > 0 && { passedOver: list }) });
    };
    let transfer: IncomingTransfer | undefined;
    try {
      transfer = await ledger.incomingTransfer(address, one);
    } catch (error) {
      if (!isMeshError(error)) throw error;
      log.warn(
        { agent, signature: one.signature, reason: String(error) },
        'a deposit address may have more than is shown',
      );
      await space.tx([ref], (tx) => put(tx, putOff(tx.get(ref)!.passedOver, one.signature, tx.now)));
      return;
    }
    await space.tx([ref, markOf(agent, one)], (tx) => {
      const { unswept, passedOver: kept = [] } = tx.get(ref)!;
      const added = transfer ? this.#post(tx, agent, transfer) : 0n;
      const rest = kept.filter(({ signature }) => signature !== one.signature);
      put(tx, rest, { unswept: (BigInt(unswept) + added).toString() });
    });
  }

  async #reserveSweep({ agent, unswept }: DepositAddress): Promise<void> {
    const { space } = this.#options;
    const ref = addresses.ref(agent);
    const { value } = await space.tx([ref], (tx) => {
      const found = tx.get(ref)!;
      if (found.sweep || BigInt(found.unswept) < BigInt(unswept)) return undefined;
      const reserved = { ...found, sweep: { number: found.sweeps + 1, amount: found.unswept } };
      tx.put(ref, reserved);
      return reserved;
    });
    if (value) await this.#sweep(value, value.sweep);
  }

  /** One step of the move into the wallet: it is one transaction, whatever crashes. */
  async #sweep({ agent }: DepositAddress, { number, amount }: NonNullable<DepositAddress['sweep']>): Promise<void> {
    const { transactions } = this.#options;
    const key = `sweep/${agent}/${number}`;
    const found = await transactions.find(key);
    if (found?.status === 'final') return this.#swept(agent, number, found.signature);
    if (!found || found.status === 'failed') await this.#send(agent, key, BigInt(amount));
    await this.#later(agent, SWEEP_MS);
  }

  async #send(agent: string, key: string, amount: bigint): Promise<void> {
    const { ledger, transactions, self, keys } = this.#options;
    const mint = ledger.usdcMint!;
    const depositor = keys!.depositor(agent);
    const bytes = buildTransaction(
      self.address,
      [
        createTokenAccount(self.address, self.address, mint),
        transferUsdc(depositor.address, self.address, mint, amount),
      ],
      (await ledger.lifetime()).blockhash,
      [depositor],
    );
    await transactions.send({
      key,
      transaction: Buffer.from(bytes).toString('base64'),
      spend: { lamports: SWEEP_LAMPORTS },
      receive: { tokens: { [mint]: amount } },
      cosigners: [depositor.address],
    });
  }

  async #swept(agent: string, number: number, signature: string): Promise<void> {
    const { space, books } = this.#options;
    const ref = addresses.ref(agent);
    await space.tx([ref], (tx) => {
      const { sweep, ...found } = tx.get(ref)!;
      if (sweep?.number !== number) return;
      const amount = BigInt(sweep.amount);
      books.post(tx, { kind: 'sweep', ref: signature, lines: sides({ debit: TREASURY, credit: DEPOSITS }, amount) });
      tx.put(ref, { ...found, sweeps: number, unswept: (BigInt(found.unswept) - amount).toString() });
    });
  }

  async #later(agent: string, ms: number): Promise<void> {
    const { space, clock } = this.#options;
    const ref = addresses.ref(agent);
    const due = clock.now() + ms;
    await space.tx([ref], (tx) => {
      const found = tx.get(ref);
      if (found) tx.put(ref, { ...found, due });
    });
  }
}

/** The mark of a transaction that was credited. */
function markOf(agent: string, { signature }: { readonly signature: string }) {
  return credited.ref(nameOf(signature, agent));
}
