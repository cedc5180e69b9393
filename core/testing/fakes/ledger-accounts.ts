import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { MeshError } from '../../contracts/errors.ts';
import type { IncomingTransfer, LedgerAccounts, LedgerHoldings, ProgramAccount } from '../../services.ts';

/** The service `LedgerAccounts` over what a test puts there: `value(LedgerAccounts, fakeLedgerAccounts().service)`. */
export interface FakeLedgerAccounts {
  readonly service: LedgerAccounts;
  put(address: string, account: ProgramAccount): void;
  /** Sets the balances of a wallet; others hold nothing. */
  hold(owner: string, holdings: LedgerHoldings): void;
  /** A finalised transfer of USDC into the wallet. */
  receive(wallet: string, transfer: IncomingTransfer): void;
  /** From now on every read is refused with `ledger_unavailable`, or answered again. */
  fail(fails: boolean): void;
}

/** Derived addresses are hashes, and not those of a ledger. */
export function fakeLedgerAccounts(cluster = 'localnet'): FakeLedgerAccounts {
  const accounts = new Map<string, ProgramAccount>();
  const holdings = new Map<string, LedgerHoldings>();
  const received = new Map<string, IncomingTransfer[]>();
  let slot = 1;
  let fails = false;
  function read<T>(value: T): { slot: number; value: T } {
    if (fails) throw new MeshError('ledger_unavailable');
    return { slot, value };
  }
  return {
    put(address, account) {
      accounts.set(address, account);
      slot += 1;
    },
    hold(owner, held) {
      holdings.set(owner, held);
    },
    receive(wallet, transfer) {
      received.set(wallet, [...(received.get(wallet) ?? []), transfer]);
    },
    fail(now) {
      fails = now;
    },
    service: {
      cluster,
      usdcMint: 'fake-usdc',
      latest: async (addresses) => read(addresses.map((address) => accounts.get(address) ?? null)).value,
      holdings: async (owner) => read(holdings.get(owner) ?? { lamports: 0n, tokens: [] }).value,
      get: async (addresses) => read(addresses.map((address) => accounts.get(address) ?? null)),
      async find(program, { matches, part, limit }) {
        const found = [...accounts].filter(
          ([, { owner, data }]) =>
            owner === program &&
            matches.every(({ offset, bytes }) =>
              Buffer.from(bytes).equals(data.subarray(offset, offset + bytes.length)),
            ),
        );
        return read(
          found
            .map(([address, { data }]) => ({ address, data: data.subarray(part.offset, part.offset + part.length) }))
            .sort((one, other) => (one.address < other.address ? -1 : 1))
            .slice(0, limit),
        );
      },
      derive(program, seeds) {
        const hash = createHash('sha256').update(program);
        for (const seed of seeds) hash.update('\0').update(seed);
        return bs58.encode(hash.digest());
      },
      async incomingUsdc(wallet, after, limit) {
        const all = read(received.get(wallet) ?? []).value;
        const begin = all.findIndex(({ signature }) => signature === after) + 1;
        const transfers = all.slice(begin, begin + limit);
        return {
          transfers,
          cursor: transfers.at(-1)?.signature ?? after,
          more: begin + limit < all.length,
          passedOver: [],
        };
      },
      incomingTransfer: async (wallet, one) =>
        read(received.get(wallet)?.find(({ signature }) => signature === one.signature)).value,
      usdc: async (wallet) => read(received.get(wallet)?.reduce((sum, { amount }) => sum + amount, 0n)).value,
      lifetime: async () =>
        read({ blockhash: bs58.encode(Buffer.alloc(32, slot)), lastValidBlockHeight: slot + 150, madeAfter: slot })
          .value,
    },
  };
}
