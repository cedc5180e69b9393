import assert from 'node:assert/strict';
import * as spl from '@solana/spl-token';
import { Keypair, PublicKey } from '@solana/web3.js';
import {
  associatedTokenAddress,
  createAssociatedToken,
  transferChecked,
} from '../../adapters/ledger-solana/instructions.ts';

const USDC = new PublicKey('4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU');
const CASES = 50;

describe('token instructions', () => {
  it('the associated token address is the published one', () => {
    const owner = new PublicKey('FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF');
    assert.equal(associatedTokenAddress(owner, USDC).toBase58(), 'BpxV484WjLKCV1k9TPTwNnrTkxjhYuRkt3eVbjY3HPqU');
  });

  it('are those of the token library, byte for byte', () => {
    for (let index = 0; index < CASES; index++) {
      const [payer, owner, mint, source, destination] = Array.from({ length: 5 }, () => Keypair.generate().publicKey);
      const amount = 2n ** BigInt(index) - 1n;
      const account = spl.getAssociatedTokenAddressSync(mint!, owner!);
      assert.ok(associatedTokenAddress(owner!, mint!).equals(account));
      assert.deepEqual(
        createAssociatedToken(payer!, owner!, mint!),
        spl.createAssociatedTokenAccountIdempotentInstruction(payer!, account, owner!, mint!),
      );
      const transfer = { source: source!, mint: mint!, destination: destination!, owner: owner!, amount, decimals: 6 };
      assert.deepEqual(
        transferChecked(transfer),
        spl.createTransferCheckedInstruction(source!, mint!, destination!, owner!, amount, 6),
      );
    }
  });
});
