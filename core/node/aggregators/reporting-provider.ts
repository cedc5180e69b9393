import { HttpNetwork } from '../../internal-services.ts';
import { Reporter } from '../../messaging/reporter.ts';
import { toHex } from '../../platform/bytes.ts';
import { internalToken } from '../../platform/token.ts';
import { provider } from '../../provider.ts';
import { Clock, Random } from '../../services.ts';
import { reportTo } from '../report-to.ts';
import { NodeSpace, Signing } from '../services/messaging.ts';
import { Aggregators } from './standings-provider.ts';

/** Tells the aggregators what this node sends and hears. */
export const Reporting = internalToken<Reporter>('reporting');

export const reportingProvider = provider(Reporting, {
  uses: {
    space: NodeSpace,
    signing: Signing,
    clock: Clock,
    random: Random,
    http: HttpNetwork,
    aggregators: Aggregators,
  },
  open({ space, signing, clock, random, http, aggregators }, { settings, log, defer }) {
    const newKey = () => toHex(random.bytes(16));
    const foreignReceipt = (receipt: Uint8Array, from: string) => signing.foreignReceipt(receipt, from);
    const post = reportTo(settings.mesh.aggregators ?? [], {
      ...{ clock, newKey, foreignReceipt, fetch: http.fetch },
      posted: (url, error) => aggregators.posted(url, error),
    });
    const reporter = new Reporter({ space, clock, random, log, post });
    defer(() => reporter.close());
    return reporter;
  },
});
