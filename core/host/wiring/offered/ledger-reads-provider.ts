import { MeshError } from '../../../contracts/errors.ts';
import { Ledger } from '../../../internal-services.ts';
import { optional } from '../../../plugin.ts';
import { provider } from '../../../provider.ts';
import { LedgerReads } from '../../../services.ts';

/** The ledger of this process, for plugins that look at it. */
export const ledgerReadsProvider = provider(LedgerReads, {
  uses: { ledger: optional(Ledger) },
  open({ ledger }): LedgerReads {
    if (!ledger) return withoutLedger;
    const { name, usdcMint } = ledger.cluster;
    return {
      cluster: { name, usdcMint },
      incomingUsdc: (wallet, after, limit) => ledger.incomingUsdc(wallet, after, limit, true),
      usdc: (wallet) => ledger.usdcAccount(wallet),
      blockhash: () => ledger.foreign.lifetime().then(({ blockhash }) => blockhash),
    };
  },
});

const unavailable = () =>
  Promise.reject(new MeshError('ledger_unavailable', 'There is no ledger here; start with --rpc-url.'));
const withoutLedger: LedgerReads = {
  cluster: undefined,
  incomingUsdc: unavailable,
  usdc: unavailable,
  blockhash: unavailable,
};
