import type { Instruction } from './transaction.ts';

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** A text in the transaction, for whoever reads it on the ledger. */
export function memo(text: string): Instruction {
  return { program: MEMO, accounts: [], data: Buffer.from(text) };
}
