import { createRequire } from 'node:module';
import bs58 from 'bs58';
import type * as Svm from 'litesvm/dist/internal.js';
import { type TransactionError, transactionError } from './engine-errors.ts';

export const ENGINE_VERSION = '1.5.0';

export interface AccountState {
  readonly lamports: bigint;
  readonly data: Buffer;
  /** Base58. */
  readonly owner: string;
  readonly executable: boolean;
}

/** Accounts as they are at one moment. */
export interface Accounts {
  account(address: string): AccountState | null;
}

export interface InnerInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: string;
  readonly stackHeight: number;
}

export interface Execution {
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly unitsConsumed: number;
  readonly returnData: { readonly programId: string; readonly data: readonly [string, 'base64'] } | null;
  readonly innerInstructions: readonly { readonly index: number; readonly instructions: readonly InnerInstruction[] }[];
}

export interface Rehearsal extends Execution {
  /** The accounts as the transaction would leave them; empty when it fails. */
  readonly after: ReadonlyMap<string, AccountState>;
}

/**
 * The litesvm engine behind base58 addresses. It keeps no history and checks no blockhashes: the bank does both.
 * Malformed bytes abort the whole process inside the engine, so only bytes of `decodeTransaction` may come here.
 */
export class Engine implements Accounts {
  readonly #svm: Svm.LiteSvm;
  readonly #raw: typeof Svm;

  constructor(snapshot?: Uint8Array) {
    this.#raw = loadEngine();
    this.#svm = snapshot ? this.#raw.LiteSvm.fromBytes(snapshot) : new this.#raw.LiteSvm();
    if (!snapshot) this.#svm.withNativeMints();
    this.#svm.setBlockhashCheck(false);
    this.#svm.setTransactionHistory(0n);
  }

  account(address: string): AccountState | null {
    const account = this.#svm.getAccount(bs58.decode(address));
    return account && account.lamports() > 0n ? stateOf(account) : null;
  }

  lamports(address: string): bigint {
    return this.#svm.getBalance(bs58.decode(address)) ?? 0n;
  }

  setAccount(address: string, state: AccountState): void {
    const { lamports, data, owner, executable } = state;
    this.#svm.setAccount(
      bs58.decode(address),
      new this.#raw.Account(lamports, data, bs58.decode(owner), executable, 0n),
    );
  }

  programAccounts(program: string): [address: string, state: AccountState][] {
    return this.#svm
      .getProgramAccounts(bs58.decode(program))
      .map((entry) => [bs58.encode(entry.address), stateOf(entry.account())]);
  }

  addProgram(address: string, elf: Uint8Array): void {
    this.#svm.addProgram(bs58.decode(address), elf);
  }

  rentExemption(bytes: number): number {
    return Number(this.#svm.minimumBalanceForRentExemption(BigInt(bytes)));
  }

  get rentPerByte(): bigint {
    return this.#svm.getRent().lamportsPerByteYear;
  }

  /** Lamports a byte of an account costs, its 128 bytes of overhead included. */
  set rentPerByte(lamports: bigint) {
    const { exemptionThreshold, burnPercent } = this.#svm.getRent();
    this.#svm.setRent(new this.#raw.Rent(lamports, exemptionThreshold, burnPercent));
  }

  /** Sets the clock sysvar and the hashes that address lookup tables are created from. */
  setTime(slot: number, unixSeconds: number, slotsPerEpoch: number, slotHashes: readonly Svm.SlotHashInput[]): void {
    const epoch = BigInt(Math.floor(slot / slotsPerEpoch));
    this.#svm.setClock(new this.#raw.Clock(BigInt(slot), 0n, epoch, epoch + 1n, BigInt(unixSeconds)));
    this.#svm.setSlotHashes([...slotHashes]);
  }

  /** Moves on to the next blockhash of the engine's own chain, from which durable nonces are drawn. */
  nextBlockhash(): void {
    this.#svm.expireBlockhash();
  }

  blockhash(): string {
    return this.#svm.latestBlockhash();
  }

  execute(bytes: Uint8Array): Execution {
    const result = this.#svm.sendVersionedTransaction(bytes);
    if (!(result instanceof this.#raw.FailedTransactionMetadata)) return execution(null, result);
    return execution(transactionError(result.err()), result.meta());
  }

  rehearse(bytes: Uint8Array, verifySignatures: boolean): Rehearsal {
    this.#svm.setSigverify(verifySignatures);
    try {
      const result = this.#svm.simulateVersionedTransaction(bytes);
      if (result instanceof this.#raw.FailedTransactionMetadata) {
        return { ...execution(transactionError(result.err()), result.meta()), after: new Map() };
      }
      const after = result
        .postAccounts()
        .map((entry) => [bs58.encode(entry.address), stateOf(entry.account())] as const);
      return { ...execution(null, result.meta()), after: new Map(after) };
    } finally {
      this.#svm.setSigverify(true);
    }
  }

  snapshot(): Uint8Array {
    return this.#svm.toBytes();
  }
}

/**
 * The engine is the native part of litesvm, a package for each platform. Its JavaScript part would bring a second Solana
 * client library along, which nobody here uses.
 */
function loadEngine(): typeof Svm {
  const require = createRequire(import.meta.url);
  const name = ['litesvm', process.platform, process.arch, ...libc()].join('-');
  try {
    return require(process.env['NAPI_RS_NATIVE_LIBRARY_PATH'] ?? name) as typeof Svm;
  } catch (cause) {
    throw new Error(
      `The localnet needs the engine ${name} ${ENGINE_VERSION}, which is not installed: ` +
        'run "npm install" again on Linux or macOS, or give --rpc-url to use another Solana cluster.',
      { cause },
    );
  }
}

/** Which C library Linux has; other systems have one. */
function libc(): string[] {
  if (process.platform !== 'linux') return [];
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return [header?.glibcVersionRuntime === undefined ? 'musl' : 'gnu'];
}

function stateOf(account: Svm.Account): AccountState {
  return {
    lamports: account.lamports(),
    data: Buffer.from(account.data()),
    owner: bs58.encode(account.owner()),
    executable: account.executable(),
  };
}

function execution(error: TransactionError | null, meta: Svm.TransactionMetadata): Execution {
  const returned = meta.returnData();
  const data = Buffer.from(returned.data());
  return {
    error,
    logs: meta.logs(),
    unitsConsumed: Number(meta.computeUnitsConsumed()),
    returnData: data.length
      ? { programId: bs58.encode(returned.programId()), data: [data.toString('base64'), 'base64'] }
      : null,
    innerInstructions: meta
      .innerInstructions()
      .map((list, index) => ({ index, instructions: list.map(innerInstruction) }))
      .filter((entry) => entry.instructions.length > 0),
  };
}

function innerInstruction(inner: Svm.InnerInstruction): InnerInstruction {
  const instruction = inner.instruction();
  return {
    programIdIndex: instruction.programIdIndex(),
    accounts: [...instruction.accounts()],
    data: bs58.encode(instruction.data()),
    stackHeight: inner.stackHeight(),
  };
}
