import { MeshError } from '../../../contracts/errors.ts';
import { Ledger } from '../../../internal-services.ts';
import { optional } from '../../../plugin.ts';
import { provider } from '../../../provider.ts';
import { LedgerAccounts } from '../../../services.ts';

/** Gives plugins their reads of the ledger. */
export const ledgerAccountsProvider = provider(LedgerAccounts, {
  uses: { ledger: optional(Ledger) },
  open({ ledger }): LedgerAccounts {
    if (!ledger) return withoutLedger;
    const { accounts, foreign, cluster } = ledger;
    return {
      cluster: cluster.name,
      usdcMint: cluster.usdcMint,
      latest: (addresses) => accounts.latest(addresses),
      holdings: (owner) => ledger.balances(owner),
      get: (addresses, atLeast) => accounts.at(addresses, atLeast),
      find: (program, query) => accounts.of(program, query),
      derive: (program, seeds) => accounts.derive(program, seeds),
      incomingUsdc: (wallet, after, limit) => ledger.incomingUsdc(wallet, after, limit, true),
      incomingTransfer: (wallet, one) => ledger.incomingTransfer(wallet, one, true),
      usdc: (wallet) => ledger.usdcAccount(wallet),
      lifetime: () => foreign.lifetime(),
    };
  },
});

const missing = () => new MeshError('ledger_unavailable', 'There is no ledger here; start with --rpc-url.');
const unavailable = () => Promise.reject(missing());
const withoutLedger: LedgerAccounts = {
  ...{ cluster: undefined, usdcMint: undefined, latest: unavailable, holdings: unavailable },
  ...{
    get: unavailable,
    find: unavailable,
    lifetime: unavailable,
    incomingUsdc: unavailable,
    incomingTransfer: unavailable,
    usdc: unavailable,
  },
  derive() {
    throw missing();
  },
};
