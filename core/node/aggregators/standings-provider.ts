import { HttpNetwork, Ledger, Network } from '../../internal-services.ts';
import { networkParts, networkView } from '../../ledger/network-parts.ts';
import { internalToken } from '../../platform/token.ts';
import { optional } from '../../plugin.ts';
import { provider } from '../../provider.ts';
import { Clock } from '../../services.ts';
import { AggregatorStandings } from './standings.ts';

/** Milliseconds between two looks at aggregators that nobody asked about. */
const EVERY = 600_000;

/** How it stands with the aggregators this node reports to. */
export type Aggregators = AggregatorStandings;
export const Aggregators = internalToken<Aggregators>('aggregators');

export const aggregatorsProvider = provider(Aggregators, {
  uses: { network: Network, clock: Clock, http: HttpNetwork, ledger: optional(Ledger) },
  open({ network, clock, http, ledger }, { settings, log, defer, health }) {
    const own = networkView(network, networkParts(ledger, settings.network));
    const urls = settings.mesh.aggregators ?? [];
    const standings = new AggregatorStandings(urls, { own, clock, log, fetch: http.fetch });
    if (urls.length === 0) return standings;
    void standings.look();
    defer(clock.every(EVERY, () => void standings.look()));
    health(
      () => standings.health(),
      () => standings.look(),
    );
    return standings;
  },
});
