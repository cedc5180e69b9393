import { ASSOCIATED_TOKEN, SYSTEM, TOKEN, tokenAccountOf } from './addresses.ts';
import { account, type Instruction } from './transaction.ts';

const CREATE_IDEMPOTENT = 1;
const TRANSFER_CHECKED = 12;
const AMOUNT_AT = 64;
const USDC_DECIMALS = 6;

/** Makes the associated token account of a wallet where it is missing. */
export function createTokenAccount(payer: string, wallet: string, mint: string): Instruction {
  return {
    program: ASSOCIATED_TOKEN,
    accounts: [
      account(payer, 'signer', 'writable'),
      account(tokenAccountOf(wallet, mint), 'writable'),
      account(wallet),
      account(mint),
      account(SYSTEM),
      account(TOKEN),
    ],
    data: Uint8Array.of(CREATE_IDEMPOTENT),
  };
}

/** The amount in the data of a token account; 0 in data that is none. */
export function tokenAmount(data: Uint8Array): bigint {
  if (data.length < AMOUNT_AT + 8) return 0n;
  return new DataView(data.buffer, data.byteOffset).getBigUint64(AMOUNT_AT, true);
}

/** Moves USDC between the associated token accounts of two wallets. */
export function transferUsdc(from: string, to: string, mint: string, amount: bigint): Instruction {
  const data = Buffer.alloc(10);
  data.writeUInt8(TRANSFER_CHECKED, 0);
  data.writeBigUInt64LE(amount, 1);
  data.writeUInt8(USDC_DECIMALS, 9);
  return {
    program: TOKEN,
    accounts: [
      account(tokenAccountOf(from, mint), 'writable'),
      account(mint),
      account(tokenAccountOf(to, mint), 'writable'),
      account(from, 'signer'),
    ],
    data,
  };
}
