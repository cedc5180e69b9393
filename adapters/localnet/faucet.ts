import {
  ComputeBudgetProgram,
  type Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM, USDC_MINT } from './addresses.ts';
import { submit } from './admission.ts';
import type { Chain } from './chain.ts';
import { decodeTransaction } from './wire.ts';

const CREATE_IDEMPOTENT = 1;
const MINT_TO = 7;
const UNITS = 200_000;

/** Gives SOL out of the faucet's own balance, and mints USDC: both by ordinary transactions. */
export class Faucet {
  readonly #chain: Chain;
  readonly #keypair: Keypair;
  #count = 0;

  constructor(chain: Chain, keypair: Keypair) {
    this.#chain = chain;
    this.#keypair = keypair;
  }

  /** Returns the signature of the transfer. */
  sol(address: string, lamports: bigint): string {
    const { publicKey } = this.#keypair;
    return this.#send(SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: new PublicKey(address), lamports }));
  }

  /** Mints into the owner's associated token account, which is made when missing. */
  usdc(owner: string, minor: bigint): string {
    const authority = this.#keypair.publicKey;
    const mint = new PublicKey(USDC_MINT);
    const tokenProgram = new PublicKey(TOKEN_PROGRAM);
    const associatedProgram = new PublicKey(ASSOCIATED_TOKEN_PROGRAM);
    const holder = new PublicKey(owner);
    const seeds = [holder.toBytes(), tokenProgram.toBytes(), mint.toBytes()];
    const [account] = PublicKey.findProgramAddressSync(seeds, associatedProgram);
    const amount = Buffer.alloc(9, MINT_TO);
    amount.writeBigUInt64LE(minor, 1);
    return this.#send(
      new TransactionInstruction({
        programId: associatedProgram,
        keys: [
          { pubkey: authority, isSigner: true, isWritable: true },
          { pubkey: account, isSigner: false, isWritable: true },
          { pubkey: holder, isSigner: false, isWritable: false },
          { pubkey: mint, isSigner: false, isWritable: false },
          { pubkey: SystemProgram.programId, isSigner: false, isWritable: false },
          { pubkey: tokenProgram, isSigner: false, isWritable: false },
        ],
        data: Buffer.of(CREATE_IDEMPOTENT),
      }),
      new TransactionInstruction({
        programId: tokenProgram,
        keys: [
          { pubkey: mint, isSigner: false, isWritable: true },
          { pubkey: account, isSigner: false, isWritable: true },
          { pubkey: authority, isSigner: true, isWritable: false },
        ],
        data: amount,
      }),
    );
  }

  #send(...instructions: TransactionInstruction[]): string {
    const { blockhash } = this.#chain.slots.latestBlockhash();
    for (;;) {
      // Equal requests within one blockhash would be the same transaction; the unit limit tells them apart.
      this.#count = (this.#count + 1) % UNITS;
      const transaction = new Transaction({ feePayer: this.#keypair.publicKey, recentBlockhash: blockhash });
      transaction.add(ComputeBudgetProgram.setComputeUnitLimit({ units: UNITS + this.#count }), ...instructions);
      transaction.sign(this.#keypair);
      const decoded = decodeTransaction(transaction.serialize({ verifySignatures: false }));
      if (!this.#chain.history.get(decoded.signatures[0]!)) return submit(this.#chain, decoded);
    }
  }
}
