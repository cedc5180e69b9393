import type { LedgerReads, ReceivedUsdc } from '../../services.ts';

/** The service `LedgerReads` without a ledger: wallets hold what the test gave them. */
export interface FakeLedgerReads {
  readonly service: LedgerReads;
  /** A finalised transfer into the wallet. */
  receive(wallet: string, transfer: ReceivedUsdc): void;
}

/** `services: [value(LedgerReads, fakeLedgerReads().service)]`. */
export function fakeLedgerReads(usdcMint = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'): FakeLedgerReads {
  const histories = new Map<string, ReceivedUsdc[]>();
  const of = (wallet: string) => histories.get(wallet) ?? [];
  return {
    receive(wallet, transfer) {
      histories.set(wallet, [...of(wallet), transfer]);
    },
    service: {
      cluster: { name: 'localnet', usdcMint },
      async incomingUsdc(wallet, after, limit) {
        const all = of(wallet);
        const begin = all.findIndex(({ signature }) => signature === after) + 1;
        const transfers = all.slice(begin, begin + limit);
        const more = begin + limit < all.length;
        return { transfers, cursor: transfers.at(-1)?.signature ?? after, more };
      },
      async usdc(wallet) {
        return histories.has(wallet) ? of(wallet).reduce((sum, { amount }) => sum + amount, 0n) : undefined;
      },
      blockhash: async () => '11111111111111111111111111111111',
    },
  };
}
