import { isMeshError, type Log } from '../../core/plugin.ts';
import type { Clock, LedgerAccounts, Self, Space, TransactionRequest, Transactions } from '../../core/services.ts';
import { available, type Books, type Line, PLATFORM_FEES, PROVIDER_FEES, reserved, sides, TREASURY } from './books.ts';
import type { BillingConfig } from './config.ts';
import type { DepositKeys } from './deposit-keys.ts';
import type { FeeTable } from './fee-table.ts';
import { messageFault } from './message-check.ts';
import { end, uncount } from './reservations.ts';
import { type Attestation, type AttestedBurn, POLL_SECONDS } from './settlement/attestation.ts';
import { chainNamed, SOLANA } from './settlement/chains.ts';
import { FINALITY, maxFee, type Speed } from './settlement/fees.ts';
import { readBurnMessage } from './settlement/message.ts';
import { burnUsdc } from './settlement/solana/burn.ts';
import { memo } from './settlement/solana/memo.ts';
import { transferUsdc } from './settlement/solana/tokens.ts';
import { buildTransaction, type Cosigner, type Instruction } from './settlement/solana/transaction.ts';
import { burnOf, type Withdrawal, withdrawals } from './stored.ts';

export interface WithdrawalStepsOptions {
  readonly space: Space;
  readonly ledger: LedgerAccounts;
  readonly transactions: Transactions;
  readonly self: Self;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: BillingConfig;
  readonly books: Books;
  readonly keys: DepositKeys | undefined;
  /** Undefined where there is no attestation service. */
  readonly attestation: Attestation | undefined;
  readonly fees: FeeTable | undefined;
}

/** A step's result: what changes, and when the next step is due, in milliseconds. */
interface Step {
  readonly change: Partial<Withdrawal>;
  readonly pause: number;
  readonly entry?: { readonly kind: 'paid' | 'burnt' | 'release'; readonly lines: readonly Line[] };
}

const BATCH = 200;
const PARALLEL = 16;
/**
 * For so long nobody else works on a withdrawal. A transaction is built in the first 30 seconds of it and lands within 90 or never, so none
 * can land once the time is over and somebody else finds that none was sent.
 */
const WORK_MS = 150_000;
const BUILD_MS = 30_000;
const FEES_LAMPORTS = 100_000n;
/** With the rent of the account that holds the message. */
const BURN_LAMPORTS = 20_000_000n;
const AGAIN_MS = 2_000;

/** Takes withdrawals from state to state. Each is written down before it is acted on, so a crash at any moment repeats nothing. */
export class WithdrawalSteps {
  readonly #options: WithdrawalStepsOptions;

  constructor(options: WithdrawalStepsOptions) {
    this.#options = options;
  }

  /** Where no other process works on this store, those that were being worked on when the last one ended go on at once. */
  async resume(): Promise<void> {
    const { space, clock } = this.#options;
    if (space.changes === undefined) return;
    const now = clock.now();
    for (let after: { id: string; key: string } | undefined; ; ) {
      const page = await space.page(withdrawals, {
        index: 'due',
        from: [now + 1],
        limit: BATCH,
        ...(after && { after }),
      });
      for (const { id } of page) {
        const ref = withdrawals.ref(id);
        await space.tx([ref], (tx) => tx.put(ref, { ...tx.get(ref)!, due: now }));
      }
      if (page.length < BATCH) return;
      after = page.at(-1);
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const { space, clock } = this.#options;
    const rows = await space.page(withdrawals, { index: 'due', to: [clock.now() + 1], limit: BATCH });
    for (let first = 0; first < rows.length && !signal.aborted; first += PARALLEL)
      await Promise.all(rows.slice(first, first + PARALLEL).map(({ value }) => this.#advance(value)));
  }

  async #advance(seen: Withdrawal): Promise<void> {
    const begun = this.#options.clock.now();
    const own = await this.#take(seen, begun + WORK_MS);
    if (!own) return;
    let step: Step;
    try {
      step = await this.#step(own, begun);
    } catch (error) {
      if (!isMeshError(error) && !(error instanceof Error && error.name === 'SettlementError')) throw error;
      this.#options.log.warn({ withdrawal: own.id, state: own.state, reason: String(error) }, 'a withdrawal waits');
      step = this.#wait(own, problemOf(error));
    }
    await this.#finish(own, step);
  }

  #step(own: Withdrawal, begun: number): Promise<Step> | Step {
    switch (own.state) {
      case 'reserved':
        return this.#begin(own);
      case 'sending':
      case 'burning':
        return this.#transact(own, begun);
      case 'burnt':
        return this.#attest(own);
      case 'attested':
        return { change: { state: 'minting' }, pause: 0 };
      default:
        return this.#mint(own);
    }
  }

  async #begin(own: Withdrawal): Promise<Step> {
    if (own.chain === SOLANA) return { change: { state: 'sending' }, pause: 0 };
    const { fees } = this.#options;
    if (!fees) return this.#giveBack(own, 'there is no attestation service here any more');
    // The burn must allow the service to take what it takes now.
    const { speed, fee } = await fees.of(chainNamed(own.chain)!, 0);
    const burnt = burnOf(own);
    const most = maxFee(burnt, fee);
    if (most >= burnt) return this.#giveBack(own, 'the fees of the transfer are more than the amount');
    return { change: { state: 'burning', speed, maxFee: most.toString() }, pause: 0 };
  }

  /** The transaction on Solana: a transfer, or a burn. */
  async #transact(own: Withdrawal, begun: number): Promise<Step> {
    const { transactions, clock, config } = this.#options;
    const key = `withdraw/${own.id}`;
    const found = await transactions.find(key);
    if (found?.status === 'final') return this.#landed(own, found.signature);
    if (found && found.status !== 'failed') return { change: {}, pause: AGAIN_MS };
    const reason = own.problem ?? found?.reason ?? 'it could not be sent';
    if (clock.now() - own.created > config.giveUpAfter * 1_000) return this.#giveBack(own, reason);
    if (own.waits > 0 && (await this.#isUnpayable(own)))
      return this.#giveBack(own, 'the destination has no USDC account any more');
    const request = await this.#build(own, key);
    if (clock.now() - begun > BUILD_MS) return { change: {}, pause: AGAIN_MS };
    const sent = await transactions.send(request, { until: 'final' });
    if (sent.status === 'final') return this.#landed(own, sent.signature);
    return sent.status === 'failed' ? this.#wait(own, sent.reason ?? 'failed') : { change: {}, pause: AGAIN_MS };
  }

  /** A wallet whose USDC account was closed would be tried for an hour, and anybody can close some. */
  async #isUnpayable({ chain, address }: Withdrawal): Promise<boolean> {
    return chain === SOLANA && (await this.#options.ledger.usdc(address)) === undefined;
  }

  async #build(own: Withdrawal, key: string): Promise<TransactionRequest> {
    const { ledger, self, keys } = this.#options;
    const mint = ledger.usdcMint!;
    const amount = burnOf(own);
    const request = async (
      instructions: readonly Instruction[],
      lamports: bigint,
      cosigners: readonly Cosigner[] = [],
    ) => ({
      key,
      transaction: Buffer.from(
        buildTransaction(self.address, instructions, (await ledger.lifetime()).blockhash, cosigners),
      ).toString('base64'),
      spend: { lamports, tokens: { [mint]: amount } },
      ...(cosigners.length > 0 && { cosigners: cosigners.map(({ address }) => address) }),
    });
    if (own.chain === SOLANA)
      return request(
        [transferUsdc(self.address, own.address, mint, amount), memo(`${own.kind} ${own.id}`)],
        FEES_LAMPORTS,
      );
    const event = keys!.event(own.id);
    const burn = burnUsdc({
      ...{ owner: self.address, mint, event: event.address, amount, destination: chainNamed(own.chain)! },
      ...{ recipient: own.address, maxFee: BigInt(own.maxFee!), finality: FINALITY[own.speed as Speed] },
    });
    return request([burn], BURN_LAMPORTS, [event]);
  }

  #landed(own: Withdrawal, signature: string): Step {
    const amount = BigInt(own.amount);
    const owed = reserved(own.agent);
    if (own.state === 'sending')
      return {
        change: { state: 'done', signature, received: own.amount },
        pause: 0,
        entry: { kind: 'paid', lines: sides({ debit: owed, credit: TREASURY }, amount) },
      };
    const [platform, provider] = [BigInt(own.platformFee), BigInt(own.providerFee)];
    const lines = [
      { account: owed, amount },
      { account: TREASURY, amount: -burnOf(own) },
      { account: PLATFORM_FEES, amount: -(platform - provider) },
      { account: PROVIDER_FEES, amount: -provider },
    ];
    return {
      change: { state: 'burnt', signature, waits: 1 },
      pause: POLL_SECONDS[0]! * 1_000,
      entry: { kind: 'burnt', lines },
    };
  }

  async #attest(own: Withdrawal): Promise<Step> {
    const burn = await this.#lookUp(own);
    if (burn?.message === undefined || burn.attestation === undefined) return this.#wait(own, burn?.delay);
    const message = readBurnMessage(Buffer.from(burn.message.slice(2), 'hex'));
    const fault = messageFault(message, own, this.#options.ledger.usdcMint!);
    if (!message || fault !== undefined) {
      this.#options.log.error({ withdrawal: own.id, fault }, 'the attested message is not that of the burn');
      return this.#wait(own, `the attested message is not that of the burn: ${fault}`);
    }
    const { message: text, attestation } = burn;
    const received = (message.amount - message.feeExecuted).toString();
    return { change: { state: 'attested', message: text, attestation, received }, pause: 0 };
  }

  async #mint(own: Withdrawal): Promise<Step> {
    const burn = await this.#lookUp(own);
    if (burn?.forward === 'COMPLETE' && burn.forwardTx !== undefined)
      return { change: { state: 'done', mintTx: burn.forwardTx }, pause: 0 };
    const failed = burn?.forward === 'FAILED';
    return this.#wait(own, failed ? 'the mint failed; anybody can submit the message with its attestation' : undefined);
  }

  async #lookUp(own: Withdrawal): Promise<AttestedBurn | undefined> {
    return this.#options.attestation?.find(chainNamed(SOLANA)!.domainId, own.signature!);
  }

  /** Nothing was sent, and nothing that was can land any more. */
  #giveBack(own: Withdrawal, problem: string): Step {
    const lines = sides({ debit: reserved(own.agent), credit: available(own.agent) }, BigInt(own.amount));
    return { change: { state: 'failed', problem }, pause: 0, entry: { kind: 'release', lines } };
  }

  #wait({ waits }: Withdrawal, problem: string | undefined): Step {
    const pause = POLL_SECONDS[Math.min(waits, POLL_SECONDS.length - 1)]! * 1_000;
    return { change: { waits: waits + 1, ...(problem !== undefined && { problem: problem.slice(0, 500) }) }, pause };
  }

  /** Undefined when somebody else works on it. */
  async #take(seen: Withdrawal, due: number): Promise<Withdrawal | undefined> {
    const ref = withdrawals.ref(seen.id);
    const { value } = await this.#options.space.tx([ref], (tx) => {
      const found = tx.get(ref);
      if (!found || found.due !== seen.due || found.state !== seen.state) return undefined;
      const own = { ...found, due };
      tx.put(ref, own);
      return own;
    });
    return value;
  }

  async #finish(own: Withdrawal, { change, pause, entry }: Step): Promise<void> {
    const { space, clock, books } = this.#options;
    const ref = withdrawals.ref(own.id);
    const now = clock.now();
    await space.tx([ref], (tx) => {
      const found = tx.get(ref)!;
      if (found.due !== own.due || found.state !== own.state) return;
      const moved = change.state !== undefined;
      const { problem: _, ...rest } = found;
      const next = { ...(moved ? { ...rest, waits: 0 } : found), changed: now, ...change, due: now + pause };
      if (entry) books.post(tx, { ...entry, ref: own.id });
      if (change.state === 'failed') uncount(tx, found);
      if (change.state === 'failed' || change.state === 'done') end(tx, found.agent);
      tx.put(ref, next);
    });
  }
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
