import { hostname } from 'node:os';
import { Identity, Store, Writer } from '../../internal-services.ts';
import { type ListenAddress, parseListen } from '../../platform/listen.ts';
import { messageOf } from '../../platform/problem.ts';
import { ONLY_PROCESS, type Writership } from '../../platform/writership.ts';
import { provider } from '../../provider.ts';
import { Clock, Metrics, Random } from '../../services.ts';
import { StorageError } from '../../storage/adapter.ts';
import { Handing as HandingToken, SPACE } from '../providers.ts';
import { HandOff } from './hand-off.ts';
import type { HandedItem, WriteHanded } from './hand-over.ts';
import { CLOCK_REMEDY, clockFault } from './store-clock.ts';
import { claimFormat } from './store-format.ts';
import { WriterLease } from './writer-lease.ts';
import { WriterListener } from './writer-listener.ts';

/** Where verified items go, and where those of other aggregators come from. */
export interface Handing {
  /** See `HandOff`; absent where this process has the store for itself. */
  readonly give?: HandOff['give'];
  /** See `HandOff`; to be called once the plugins that take part in recording are known. */
  readonly start?: HandOff['start'];
  /** Set by the part that writes items. */
  write: WriteHanded;
  readonly writership: Writership;
}

/** Which of several aggregators on one store is the writer, and the way of the others to it. */
export const handingProvider = provider(HandingToken, {
  uses: { store: Store, identity: Identity, clock: Clock, random: Random, metrics: Metrics },
  async open({ store, identity, clock, random, metrics }, { settings, signal, log, defer, health, note }) {
    const fault = clockFault(store);
    if (fault !== undefined) throw new Error(`${fault} ${CLOCK_REMEDY}`);
    await claimFormat({ space: store.space(SPACE), clock, signal });
    const write: WriteHanded = async () => {
      throw new StorageError('unavailable', 'the writer is not ready yet');
    };
    let among: { readonly lease: WriterLease; readonly listener: WriterListener } | undefined;
    const handed = metrics.counter('mesh_handed_items_total', 'Verified items handed to the writer.', ['result']);
    const isWriter = () => (among?.lease.isWriter === false ? 0 : 1);
    metrics.gauge('mesh_writer', '1 while this aggregator is the writer of its store.', isWriter);
    const askers = 'Aggregators that hand this one their items.';
    metrics.gauge('mesh_writer_askers', askers, () => among?.listener.askers ?? 0);
    if (store.guarantees.processes === 'one') return { write, writership: ONLY_PROCESS };
    const { listen = '127.0.0.1:0', address } = settings.writer;
    const at = parseListen(listen);
    if (!at) throw new Error(`writer.listen is ${JSON.stringify(listen)}, which is no address; write host:port`);
    const secret = Buffer.from(random.bytes(32)).toString('base64');
    const receive = (items: readonly HandedItem[]) => handing.write(items);
    const listener = await WriterListener.open({ at, secret, clock, log, write: receive }).catch((error: unknown) => {
      throw new Error(`writer.listen ${listen} cannot be listened on: ${messageOf(error)}`);
    });
    const shown = address ?? reachable(at, listener.port);
    const self = {
      by: Buffer.from(random.bytes(8)).toString('hex'),
      agent_id: identity.address,
      address: shown,
      secret,
    };
    const isInTime = () => clockFault(store) === undefined;
    const lease = new WriterLease({ space: store.space(SPACE), clock, log, self, isInTime });
    among = { lease, listener };
    const handOff = new HandOff({ lease, listener, clock, log, handed, clockFault: () => clockFault(store) });
    const handing: Handing = {
      write,
      writership: lease,
      give: (items) => handOff.give(items),
      start: (plugins) => handOff.start(plugins),
    };
    defer(() => handOff.close());
    health(() => handOff.health());
    signal.addEventListener('abort', () => void handOff.standDown(), { once: true });
    note(`storage: the writer among its processes is reached at ${shown}`);
    return handing;
  },
});

/** The same as a service of the host, which runs jobs there that are to run once. */
export const writerProvider = provider(Writer, {
  uses: { handing: HandingToken },
  open: ({ handing }) => handing.writership,
});

/** An address for other machines is this one's name, unless the setting has a better one. */
function reachable({ host }: ListenAddress, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? hostname() : host;
  return `${name.includes(':') ? `[${name}]` : name}:${port}`;
}
