import { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { MeshError } from '../../core/contracts/errors.ts';
import type { Balances } from '../../core/ledger/ledger.ts';
import type { Reading } from '../../core/ledger/settlement.ts';
import type { Answer } from './answers.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './instructions.ts';
import type { JsonRpc } from './json-rpc.ts';

const COMMITMENT = 'confirmed';
export type Commitment = 'confirmed' | 'finalized';
export const TOKEN_ACCOUNT_BYTES = 165;
/** The method that everything which decides is read by. */
export const READ_ACCOUNTS = 'getMultipleAccounts';

export interface Account {
  readonly lamports: bigint;
  readonly owner: string;
  readonly data: Buffer;
}

export function publicKey(address: string): PublicKey {
  try {
    return new PublicKey(address);
  } catch {
    throw new MeshError('invalid_request', 'A ledger address must be a base58 public key of 32 bytes.');
  }
}

/** The accounts at several addresses, read at one moment; null where there is none. */
export async function readAccounts(
  rpc: JsonRpc,
  addresses: readonly PublicKey[],
  commitment: Commitment = COMMITMENT,
): Promise<(Account | null)[]> {
  return [...(await readAccountsAt(rpc, addresses, commitment)).value];
}

/** The same with the slot they were read at, which is not before `atLeast`. */
export async function readAccountsAt(
  rpc: JsonRpc,
  addresses: readonly PublicKey[],
  commitment: Commitment,
  atLeast = 0,
): Promise<Reading<readonly (Account | null)[]>> {
  const keys = addresses.map((address) => address.toBase58());
  const options = { commitment, encoding: 'base64', ...(atLeast > 0 && { minContextSlot: atLeast }) };
  const answer = await rpc.ask(READ_ACCOUNTS, [keys, options]);
  const slot = answer.at('context').at('slot').natural();
  if (slot < atLeast) throw rpc.behind(READ_ACCOUNTS, slot, atLeast);
  const accounts = answer.at('value').list();
  if (accounts.length !== keys.length) throw answer.at('value').wrong(`a list of ${keys.length} accounts`);
  return { slot, value: accounts.map(accountOf) };
}

function accountOf(account: Answer): Account | null {
  if (account.raw === null) return null;
  const data = account.at('data').at(0).base64();
  return { lamports: account.at('lamports').lamports(), owner: account.at('owner').address(), data };
}

/** The tokens of that mint that an account holds for that owner: 0n when it is missing, or somebody else's by now. */
export function tokenAmount(account: Account | null, owner: PublicKey, mint: PublicKey): bigint {
  return heldTokens(account, owner, mint) ?? 0n;
}

/** The same; undefined when it is no token account of this owner and mint. */
export function heldTokens(account: Account | null, owner: PublicKey, mint: PublicKey): bigint | undefined {
  if (account?.owner !== TOKEN_PROGRAM.toBase58() || account.data.length !== TOKEN_ACCOUNT_BYTES) return undefined;
  const { data } = account;
  if (!data.subarray(0, 32).equals(mint.toBytes()) || !data.subarray(32, 64).equals(owner.toBytes())) return undefined;
  return data.readBigUInt64LE(64);
}

export async function readBalances(rpc: JsonRpc, owner: string): Promise<Balances> {
  const address = publicKey(owner).toBase58();
  const options = { commitment: COMMITMENT, encoding: 'jsonParsed' };
  const [lamports, ...holdings] = await Promise.all([
    rpc.ask('getBalance', [address, { commitment: COMMITMENT }]),
    ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((program) =>
      rpc.ask('getTokenAccountsByOwner', [address, { programId: program.toBase58() }, options]),
    ),
  ]);
  const tokens = new Map<string, { mint: string; amount: bigint; decimals: number }>();
  for (const holding of holdings.flatMap((of) => of.at('value').list())) {
    const info = holding.at('account').at('data').at('parsed').at('info');
    const mint = info.at('mint').address();
    const amount = info.at('tokenAmount').at('amount').amount();
    const decimals = info.at('tokenAmount').at('decimals').natural();
    if (amount > 0n) tokens.set(mint, { mint, amount: amount + (tokens.get(mint)?.amount ?? 0n), decimals });
  }
  return { lamports: lamports.at('value').lamports(), tokens: [...tokens.values()] };
}

export function base58Bytes(text: string): Buffer {
  return Buffer.from(bs58.decodeUnsafe(text) ?? []);
}
