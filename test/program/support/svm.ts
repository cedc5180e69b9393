import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import { Account, FailedTransactionMetadata, LiteSvm, type TransactionMetadata } from 'litesvm/dist/internal.js';
import {
  type ExecutedInstruction,
  eventsInInstructions,
  type ProgramErrorName,
  type ProgramEvent,
  type ProgramInstruction,
  programErrorName,
} from '../../../adapters/ledger-solana/program/index.ts';

/** A key pair of a test. */
export interface Wallet {
  readonly address: string;
  readonly publicKey: PublicKey;
  sign(message: Uint8Array): Buffer;
}

let wallets = 0;

/** Wallets are the same in every run. */
export function makeWallet(): Wallet {
  const seed = Buffer.alloc(32, 7);
  seed.writeUInt32LE(wallets++);
  const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = new PublicKey(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32));
  return { address: publicKey.toBase58(), publicKey, sign: (message) => sign(null, message, key) };
}

export interface Outcome {
  /** The name of our error; `index:code` or a text of the runtime for others; undefined when it succeeded. */
  readonly error: ProgramErrorName | (string & {}) | undefined;
  readonly units: number;
  readonly bytes: number;
  readonly events: readonly ProgramEvent[];
  readonly logs: readonly string[];
}

const START = { slot: 447_552_000n, unixTimestamp: 1_800_000_000n };

/** The real virtual machine with a clock that stands still until it is moved. One per test file. */
export class Svm {
  readonly raw: LiteSvm;
  readonly programId: string;

  constructor(programId: string, program: Uint8Array) {
    this.programId = programId;
    this.raw = new LiteSvm();
    this.raw.setBlockhashCheck(false);
    this.raw.setTransactionHistory(0n);
    this.raw.addProgram(bs58.decode(programId), program);
    const clock = this.raw.getClock();
    clock.slot = START.slot;
    clock.unixTimestamp = START.unixTimestamp;
    this.raw.setClock(clock);
  }

  now(): bigint {
    return this.raw.getClock().unixTimestamp;
  }

  slot(): bigint {
    return this.raw.getClock().slot;
  }

  /** Moves the clock; a slot passes every 10 seconds unless told otherwise. */
  pass(seconds: bigint, slots: bigint = seconds / 10n): void {
    const clock = this.raw.getClock();
    clock.unixTimestamp += seconds;
    clock.slot += slots;
    this.raw.setClock(clock);
  }

  /** Sends one transaction; the first signer pays. Bytes are decoded and encoded again before the machine sees them. */
  send(instructions: readonly ProgramInstruction[], signers: readonly Wallet[]): Outcome {
    const transaction = new Transaction({
      feePayer: signers[0]!.publicKey,
      recentBlockhash: this.raw.latestBlockhash(),
    });
    for (const instruction of instructions) transaction.add(classic(instruction));
    const message = transaction.serializeMessage();
    for (const wallet of signers) transaction.addSignature(wallet.publicKey, wallet.sign(message));
    const unchecked = { verifySignatures: false, requireAllSignatures: true };
    const bytes = Transaction.from(transaction.serialize(unchecked)).serialize(unchecked);
    const result = this.raw.sendLegacyTransaction(bytes);
    const failed = result instanceof FailedTransactionMetadata;
    const meta = failed ? result.meta() : result;
    return {
      error: failed ? this.#errorOf(result, instructions) : undefined,
      units: Number(meta.computeUnitsConsumed()),
      bytes: bytes.length,
      events: failed ? [] : eventsInInstructions(this.programId, executed(transaction, meta)),
      logs: meta.logs(),
    };
  }

  account(address: string): { lamports: bigint; owner: string; data: Buffer } | undefined {
    const account = this.raw.getAccount(bs58.decode(address));
    if (!account || account.lamports() === 0n) return undefined;
    return { lamports: account.lamports(), owner: bs58.encode(account.owner()), data: Buffer.from(account.data()) };
  }

  lamports(address: string): bigint {
    return this.raw.getBalance(bs58.decode(address)) ?? 0n;
  }

  setAccount(address: string, owner: string, data: Uint8Array, lamports = this.rent(data.length)): void {
    this.raw.setAccount(bs58.decode(address), new Account(lamports, data, bs58.decode(owner), false, 0n));
  }

  rent(size: number): bigint {
    return this.raw.minimumBalanceForRentExemption(BigInt(size));
  }

  #errorOf(failure: FailedTransactionMetadata, instructions: readonly ProgramInstruction[]): string {
    const error = failure.err() as unknown as { index?: number; err?: () => { code?: number } | number };
    if (typeof error !== 'object' || !error.err) return `transaction ${String(error)}`;
    const inner = error.err();
    const code = typeof inner === 'object' ? inner.code : undefined;
    const ours = instructions[error.index!]?.programId === this.programId;
    if (code === undefined) return `runtime ${String(inner)}`;
    return (ours ? programErrorName(code) : undefined) ?? `custom ${code}`;
  }
}

/** Every outer instruction, each followed by the inner ones under it. */
function executed(transaction: Transaction, meta: TransactionMetadata): ExecutedInstruction[] {
  const { accountKeys } = transaction.compileMessage();
  const inner = meta.innerInstructions();
  return transaction.instructions.flatMap(({ programId, data }, index) => [
    { programId: programId.toBase58(), data },
    ...(inner[index] ?? []).map((one) => {
      const instruction = one.instruction();
      return { programId: accountKeys[instruction.programIdIndex()]!.toBase58(), data: instruction.data() };
    }),
  ]);
}

function classic(instruction: ProgramInstruction): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey(instruction.programId),
    keys: instruction.keys.map((key) => ({
      pubkey: new PublicKey(key.address),
      isSigner: key.signer,
      isWritable: key.writable,
    })),
    data: Buffer.from(instruction.data),
  });
}
