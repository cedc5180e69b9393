import { formatUsdc, type Health, type Log } from '../../core/plugin.ts';
import type { Clock, LedgerAccounts, Self, Space } from '../../core/services.ts';
import type { AddressRound } from './address-round.ts';
import { type Books, DEPOSITS, GATEWAY, type Standing, TREASURY } from './books.ts';
import { addresses, depositors, withdrawals } from './stored.ts';

export interface ReconciliationOptions {
  readonly space: Space;
  readonly ledger: LedgerAccounts;
  readonly self: Self;
  readonly clock: Clock;
  readonly log: Log;
  readonly books: Books;
  readonly addressRound: AddressRound;
}

/** The wallet against the books, which it may pass: USDC of the operator is in it too. */
export interface WalletStanding {
  readonly held: bigint;
  /** The amount it must hold: that of the books without what may be on its way out. */
  readonly least: bigint;
}

/** The books at one moment. */
export interface Reconciled {
  readonly at: number;
  readonly standing: Standing;
  /** Undefined without a ledger. */
  readonly wallet: WalletStanding | undefined;
  readonly faults: readonly string[];
}

export const REMEDY =
  'Set plugins.billing.maxPerDay to 0 until the cause is known, and compare GET /admin/billing/books and the journal with the ledger: what an address holds beyond the books is credited once its transaction can be read; what is missing was moved by somebody who has the secret.';

const PAGE = 500;
const OK: Health = { state: 'ok' };
const SENT = new Set(['sending', 'burning']);
/** The most that health names one by one. */
const NAMED = 3;
const MINUTE = 60_000;
/** Sums are read one after another and money moves meanwhile, so they are compared so often before a difference that changes is told. */
const LOOKS = 5;

/** A difference within the books. */
interface SumFault {
  readonly by: bigint;
  readonly text: string;
}

/** Holds the books against themselves and against the ledger; a difference is told, and nothing is changed by it. */
export class Reconciliation {
  readonly #options: ReconciliationOptions;
  #last: Reconciled | undefined;
  /** Of the last run: aborted once another process is the writer, which alone knows from then on. */
  #term: AbortSignal | undefined;

  constructor(options: ReconciliationOptions) {
    this.#options = options;
  }

  /** The last run. */
  get last(): Reconciled | undefined {
    return this.#term?.aborted ? undefined : this.#last;
  }

  /** Of the last run, and of the round over the addresses as it is now. */
  get faults(): readonly string[] {
    return [...(this.last?.faults ?? []), ...this.#addressFaults()];
  }

  health(): Health {
    const { faults } = this;
    if (faults.length === 0) return OK;
    return { state: 'degraded', detail: `the billing books do not fit: ${faults.join('; ')}`, remedy: REMEDY };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, clock } = this.#options;
    this.#last = this.last;
    this.#term = signal;
    let look = await this.#look();
    for (let count = 1; look.sumFaults.length > 0 && count < LOOKS; count++) {
      const before = look.sumFaults.map(({ by }) => by);
      await clock.sleep(MINUTE, signal);
      look = await this.#look();
      if (look.sumFaults.some(({ by }) => before.includes(by))) break;
    }
    const { standing, wallet, sumFaults } = look;
    const faults = [...sumFaults.map(({ text }) => text), ...walletFaults(wallet)];
    if (faults.length > 0) log.error({ faults }, 'the billing books do not fit');
    this.#last = { at: clock.now(), standing, wallet, faults };
  }

  async #look(): Promise<{ standing: Standing; wallet: WalletStanding | undefined; sumFaults: SumFault[] }> {
    const standing = await this.#options.books.standing();
    const wallet = await this.#wallet(standing);
    return { standing, wallet, sumFaults: [...bookFaults(standing), ...(await this.#sumFaults(standing))] };
  }

  #addressFaults(): string[] {
    const { differences, more } = this.#options.addressRound;
    const named = differences
      .slice(0, NAMED)
      .map(
        ({ address, held, booked }) =>
          `the deposit address ${address} holds ${formatUsdc(held)} USDC and the books say ${formatUsdc(booked)}`,
      );
    const others = differences.length - named.length + more;
    return others > 0 ? [...named, `so it is with ${others} more`] : named;
  }

  async #sumFaults({ named }: Standing): Promise<SumFault[]> {
    const atAddresses = await this.#unswept();
    const atGateway = await this.#credited();
    return [
      {
        by: atAddresses - named[DEPOSITS],
        text: `deposit addresses have ${formatUsdc(atAddresses)} USDC to be swept and the books say ${formatUsdc(named[DEPOSITS])}`,
      },
      {
        by: atGateway - named[GATEWAY],
        text: `${formatUsdc(atGateway)} USDC are credited for the gateway and the books say ${formatUsdc(named[GATEWAY])}`,
      },
    ].filter(({ by }) => by !== 0n);
  }

  async #wallet({ named }: Standing): Promise<WalletStanding | undefined> {
    const { ledger, self } = this.#options;
    if (!ledger.cluster) return undefined;
    const held = (await ledger.usdc(self.address)) ?? 0n;
    return { held, least: named[TREASURY] - (await this.#underWay()) };
  }

  async #unswept(): Promise<bigint> {
    const { space } = this.#options;
    let sum = 0n;
    for (let after: { id: string; key: string } | undefined; ; ) {
      const page = await space.page(addresses, { limit: PAGE, ...(after && { after }) });
      for (const { value } of page) sum += BigInt(value.unswept);
      if (page.length < PAGE) return sum;
      after = page.at(-1);
    }
  }

  async #credited(): Promise<bigint> {
    const { space } = this.#options;
    let sum = 0n;
    for (let after: { id: string; key: string } | undefined; ; ) {
      const page = await space.page(depositors, { limit: PAGE, ...(after && { after }) });
      for (const { value } of page) sum += BigInt(value.credited);
      if (page.length < PAGE) return sum;
      after = page.at(-1);
    }
  }

  /** Amounts that may have left the wallet already, and are not written in the books before they are final. */
  async #underWay(): Promise<bigint> {
    const { space } = this.#options;
    let sum = 0n;
    for (let after: { id: string; key: string } | undefined; ; ) {
      const page = await space.page(withdrawals, { index: 'due', limit: PAGE, ...(after && { after }) });
      for (const { value } of page) if (SENT.has(value.state)) sum += BigInt(value.amount);
      if (page.length < PAGE) return sum;
      after = page.at(-1);
    }
  }
}

function bookFaults({ sum, named, agents }: Standing): SumFault[] {
  const beyond = agents - named[DEPOSITS] - named[GATEWAY] - named[TREASURY];
  return [
    ...(sum === 0n ? [] : [{ by: sum, text: `all accounts together are ${sum} minor units and not 0` }]),
    ...(beyond <= 0n
      ? []
      : [{ by: beyond, text: 'agents own more than deposit addresses, the gateway and the wallet hold' }]),
  ];
}

function walletFaults(wallet: WalletStanding | undefined): string[] {
  if (!wallet || wallet.held >= wallet.least) return [];
  return [`the wallet holds ${formatUsdc(wallet.held)} USDC and the books need at least ${formatUsdc(wallet.least)}`];
}
