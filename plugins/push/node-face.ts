import { type Context, defineFace, storeJob } from '../../core/plugin.ts';
import { AggregatorCalls, Clock, Contracts, Envelopes, Metrics, Self } from '../../core/services.ts';
import type { PushConfig } from './config.ts';
import { Drain } from './node/drain.ts';
import { Leaving } from './node/leaving.ts';
import { routes, type SleepView } from './node/shapes.ts';
import { Sleep } from './node/sleep.ts';

/** An agent that sleeps, and one that leaves messages for sleepers. */
export const pushNodeFace = defineFace({
  uses: {
    self: Self,
    aggregators: AggregatorCalls,
    envelopes: Envelopes,
    contracts: Contracts,
    clock: Clock,
    metrics: Metrics,
  },
  routes,
  setup({ self, envelopes, metrics, ...services }, { config, space, log, defer }: Context<PushConfig>) {
    const { token, provider, sleepOnStop = token !== undefined, leaveOpen = false } = config;
    const device = token === undefined ? undefined : { token, provider };
    const own = { ...services, space, log, agentId: self.id };
    const taken = metrics.counter('mesh_pending_taken_total', 'Messages taken from pending queues.', ['result']);
    const left = metrics.counter('mesh_pending_left_total', 'Messages left in pending queues.', ['result']);
    const drain = new Drain({ ...own, envelopes, taken });
    const sleep = new Sleep({ ...own, device, drain, rejoin: () => envelopes.rejoin() });
    defer(envelopes.fallBackTo(new Leaving({ ...services, leaveOpen, left })));

    async function state(): Promise<SleepView> {
      const { sleeping, aggregators } = sleep;
      const deferred = await drain.deferred();
      const { hub, roundTrip } = envelopes.slot() ?? {};
      const slot = hub === undefined ? null : { hub, round_trip_ms: roundTrip! };
      return { sleeping, device: device !== undefined, taken: drain.count, deferred, aggregators, slot };
    }

    return {
      ready: () => sleep.start(),
      async stop() {
        if (sleepOnStop && services.aggregators.urls.length > 0) await sleep.set(true);
      },
      jobs: [
        { name: 'telling', every: 1_000, first: 50, due: (stop) => sleep.due(stop), run: () => sleep.goOn() },
        storeJob(space, services.clock, { name: 'deferred', every: 5_000, run: () => drain.again() }),
      ],
      routes: {
        sleep_state: state,
        async sleep({ body: { sleeping = true } }) {
          await sleep.set(sleeping);
          return state();
        },
        async wake() {
          await sleep.set(false);
          return state();
        },
      },
    };
  },
});
