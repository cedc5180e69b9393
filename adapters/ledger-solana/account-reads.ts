import { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import type { AccountQuery, AccountReads, FoundAccount, ProgramAccount } from '../../core/ledger/account-reads.ts';
import type { Reading } from '../../core/ledger/settlement.ts';
import { publicKey, readAccounts, readAccountsAt } from './holdings.ts';
import type { JsonRpc } from './json-rpc.ts';
import type { Witnesses } from './witnesses.ts';

const FIND = 'getProgramAccounts';

/** Accounts of programs that this package knows nothing about, as all nodes of the ledger give them. */
export class SolanaAccountReads implements AccountReads {
  readonly #witnesses: Witnesses;

  constructor(witnesses: Witnesses) {
    this.#witnesses = witnesses;
  }

  at(addresses: readonly string[], from = 0): Promise<Reading<readonly (ProgramAccount | null)[]>> {
    const keys = addresses.map(publicKey);
    return this.#witnesses.finalized((rpc, atLeast) => readAccountsAt(rpc, keys, 'finalized', atLeast), from);
  }

  async latest(addresses: readonly string[]): Promise<readonly (ProgramAccount | null)[]> {
    return addresses.length === 0 ? [] : readAccounts(this.#witnesses.first, addresses.map(publicKey));
  }

  of(program: string, query: AccountQuery): Promise<Reading<readonly FoundAccount[]>> {
    return this.#witnesses.finalized((rpc, atLeast) => find(rpc, publicKey(program).toBase58(), query, atLeast));
  }

  derive(program: string, seeds: readonly Uint8Array[]): string {
    return PublicKey.findProgramAddressSync([...seeds], publicKey(program))[0].toBase58();
  }
}

async function find(
  rpc: JsonRpc,
  program: string,
  { matches, part, limit }: AccountQuery,
  atLeast: number,
): Promise<Reading<readonly FoundAccount[]>> {
  const options = {
    ...{ commitment: 'finalized', encoding: 'base64', withContext: true, dataSlice: part },
    filters: matches.map(({ offset, bytes }) => ({ memcmp: { offset, bytes: bs58.encode(bytes) } })),
    ...(atLeast > 0 && { minContextSlot: atLeast }),
  };
  const answer = await rpc.ask(FIND, [program, options]);
  const slot = answer.at('context').at('slot').natural();
  if (slot < atLeast) throw rpc.behind(FIND, slot, atLeast);
  const found = answer
    .at('value')
    .list()
    .map((one) => ({ address: one.at('pubkey').address(), data: one.at('account').at('data').at(0).base64() }));
  found.sort((one, other) => (one.address < other.address ? -1 : 1));
  return { slot, value: found.slice(0, limit) };
}
