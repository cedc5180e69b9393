import assert from 'node:assert/strict';
import { Keypair, SystemProgram, Transaction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { refusedBytes } from '../../adapters/ledger-solana/settlement/refused.ts';

const payer = Keypair.generate();
const program = Keypair.generate().publicKey;
const instruction = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: program, lamports: 1 });
const recentBlockhash = Keypair.generate().publicKey.toBase58();
const error = { InstructionError: [0, { Custom: 1 }] };

describe('why a transaction was refused', () => {
  it('is told by the program for its own steps, and by nobody for transactions of a version', () => {
    const step = new Transaction({ feePayer: payer.publicKey, blockhash: recentBlockhash, lastValidBlockHeight: 1 });
    step.add(instruction, { programId: program, keys: [], data: Buffer.alloc(1) });
    const foreign = new VersionedTransaction(
      new TransactionMessage({
        payerKey: payer.publicKey,
        recentBlockhash,
        instructions: [instruction],
      }).compileToV0Message(),
    );
    for (const one of [step, foreign]) one instanceof Transaction ? one.sign(payer) : one.sign([payer]);
    const codeOf = (bytes: Uint8Array) =>
      refusedBytes(program.toBase58(), Buffer.from(bytes).toString('base64'), error)?.code;
    assert.equal(codeOf(step.serialize()), 'insufficient_funds');
    assert.equal(codeOf(foreign.serialize()), undefined);
  });
});
