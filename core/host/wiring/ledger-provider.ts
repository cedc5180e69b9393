import { join } from 'node:path';
import { DEFAULT_NETWORK } from '../../contracts/settings.ts';
import { Ledger, type Settings } from '../../internal-services.ts';
import { provider } from '../../provider.ts';
import { Clock, Metrics } from '../../services.ts';
import type { Adapters, LedgerOptions } from './adapters.ts';

/** The ledger that plugins.json names. Not part of the providers of a process without an RPC address. */
export function ledgerProvider(adapters: Adapters, rpcUrls: readonly [string, ...string[]]) {
  return provider(Ledger, {
    uses: { clock: Clock, metrics: Metrics },
    async open({ clock, metrics }, { settings, log, defer, note, health }) {
      const make = choose('ledger', settings.ledger.use ?? 'solana', adapters.ledger);
      const folder = join(settings.dataDir, 'ledger');
      const options = { rpcUrls, settings: settings.ledger, folder, clock, log, metrics, ...settlementOf(settings) };
      const ledger = await make(options);
      defer(() => ledger.close());
      health(
        () => ledger.health(),
        () => ledger.look(),
      );
      const witnesses = rpcUrls.length > 1 ? `, ${rpcUrls.length} RPCs that must agree` : '';
      note(`ledger: ${ledger.cluster.name}, USDC ${ledger.cluster.usdcMint}${witnesses}`);
      const { deployment } = ledger.settlement ?? {};
      note(
        deployment
          ? `settlement: program ${deployment.programId}, config ${deployment.config}`
          : 'settlement: none, so nothing can be locked, leased or staked; give --ledger-program and --ledger-config',
      );
      return ledger;
    },
  });
}

function settlementOf({ ledger, network }: Settings): Pick<LedgerOptions, 'settlement'> {
  const { program: programId, config } = ledger;
  if (programId === undefined && config === undefined) return {};
  if (programId === undefined || config === undefined)
    throw new Error('ledger.program and ledger.config belong together: give both, or none');
  return { settlement: { programId, config, networkId: network.id ?? DEFAULT_NETWORK } };
}

/** The adapter of a name; throws with the names there are. */
function choose<T>(kind: string, name: string, from: Readonly<Record<string, T>>): T {
  if (Object.hasOwn(from, name)) return from[name]!;
  throw new Error(`there is no ${kind} adapter "${name}"; use one of ${Object.keys(from).join(', ')}`);
}
