import { join } from 'node:path';
import { port } from '../port.ts';
import { Clock, Ledger } from '../ports.ts';
import type { Adapters } from './adapters.ts';
import { choose } from './choose.ts';

/** The ledger that plugins.json names. Not part of the ports of a process without an RPC address. */
export function ledgerPort(adapters: Adapters, rpcUrl: string) {
  return port(Ledger, {
    uses: { clock: Clock },
    async open({ clock }, { settings, log, defer, note }) {
      const make = choose('ledger', settings.ledger.use ?? 'solana', adapters.ledger);
      const folder = join(settings.dataDir, 'ledger');
      const ledger = await make({ rpcUrl, settings: settings.ledger, folder, clock, log });
      defer(() => ledger.close());
      note(`ledger: ${ledger.cluster.name}, USDC ${ledger.cluster.usdcMint}`);
      return ledger;
    },
  });
}
