import { MeshError } from '../../core/plugin.ts';
import type { Clock, LedgerAccounts } from '../../core/services.ts';
import { type Place, placeOn } from './places.ts';
import { Registry } from './registry.ts';

interface Found {
  readonly place: Place;
  readonly registry: Registry;
}

/** The registry of the cluster that this process is connected to, if it has one. */
export class Site {
  readonly cluster: string | undefined;
  readonly found: Found | undefined;

  constructor(ledger: LedgerAccounts, clock: Clock) {
    this.cluster = ledger.cluster;
    const place = placeOn(ledger.cluster);
    this.found = place && { place, registry: new Registry(ledger, place, clock) };
  }

  /** Throws where no registration may be made. */
  requireTest(): Found {
    if (this.cluster === undefined)
      throw new MeshError('ledger_unavailable', 'There is no ledger here; start with --rpc-url.');
    if (this.found?.place.isTest) return this.found;
    throw new MeshError(
      'registry_not_test',
      `Registrations are made on the test cluster, and this process is connected to ${this.cluster}; nothing was sent.`,
    );
  }
}
