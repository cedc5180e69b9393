import {
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  type Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';

/** A service's own wallet on a localnet, which builds transactions that need the caller's signature alone: what it gives is approved to the caller first. */
export class Maker {
  readonly keypair = Keypair.generate();
  readonly connection: Connection;
  #count = 0;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  get key(): PublicKey {
    return this.keypair.publicKey;
  }

  takes(owner: PublicKey, mint: string, amount: bigint): TransactionInstruction[] {
    if (mint === NATIVE_MINT.toBase58())
      return [SystemProgram.transfer({ fromPubkey: owner, toPubkey: this.key, lamports: amount })];
    const token = new PublicKey(mint);
    const into = getAssociatedTokenAddressSync(token, this.key);
    return [
      createAssociatedTokenAccountIdempotentInstruction(owner, into, this.key, token),
      createTransferInstruction(getAssociatedTokenAddressSync(token, owner), into, owner, amount),
    ];
  }

  /** `approved` is for all that the owner is given before it is told of more. */
  async gives(owner: PublicKey, mint: string, amount: bigint, approved = amount): Promise<TransactionInstruction[]> {
    const token = new PublicKey(mint);
    const from = getAssociatedTokenAddressSync(token, this.key);
    const to = getAssociatedTokenAddressSync(token, owner);
    // A little more each time, since the ledger takes the same bytes once.
    await this.send([createApproveInstruction(from, owner, this.key, approved + BigInt(++this.#count))]);
    return [
      createAssociatedTokenAccountIdempotentInstruction(owner, to, owner, token),
      createTransferInstruction(from, to, owner, amount),
    ];
  }

  /** The wire bytes, signed by `signers` alone. */
  async built(
    payer: PublicKey,
    given: TransactionInstruction[],
    signers: readonly Keypair[] = [],
    version: 'legacy' | 0 = 0,
  ): Promise<Buffer> {
    // No two transactions are the same bytes.
    const instructions = [ComputeBudgetProgram.setComputeUnitLimit({ units: 400_000 - ++this.#count }), ...given];
    const { blockhash: recentBlockhash } = await this.connection.getLatestBlockhash();
    const message = new TransactionMessage({ payerKey: payer, recentBlockhash, instructions });
    const compiled = version === 0 ? message.compileToV0Message() : message.compileToLegacyMessage();
    const transaction = new VersionedTransaction(compiled);
    if (signers.length > 0) transaction.sign([...signers]);
    return Buffer.from(transaction.serialize());
  }

  async send(instructions: TransactionInstruction[], signers: readonly Keypair[] = []): Promise<void> {
    const { blockhash: recentBlockhash } = await this.connection.getLatestBlockhash();
    const message = new TransactionMessage({ payerKey: this.key, recentBlockhash, instructions });
    const transaction = new VersionedTransaction(message.compileToV0Message());
    transaction.sign([this.keypair, ...signers]);
    const signature = await this.connection.sendRawTransaction(transaction.serialize());
    for (;;) {
      const { value } = await this.connection.getSignatureStatus(signature);
      if (value?.err) throw new Error(JSON.stringify(value.err));
      if (value?.confirmationStatus === 'confirmed' || value?.confirmationStatus === 'finalized') return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
