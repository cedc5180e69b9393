import { definePlugin, optional, route } from '../../plugin.ts';
import { Clock, Ledger } from '../../ports.ts';
import { Identity, Network } from '../../wiring/tokens.ts';
import { jobPause } from '../job-pause.ts';
import { Archives, Batches, Steps, Warnings } from '../services/behavior.ts';
import { NodeSpace } from '../services/messaging.ts';
import { Defence } from '../watch/defence.ts';
import { EventReader } from '../watch/event-reader.ts';
import { Prosecution } from '../watch/prosecution.ts';
import { Slasher } from '../watch/slasher.ts';
import { lamportsOf, watchConfig } from '../watch/watch-config.ts';
import { accusations } from '../watch/watch-records.ts';

const SHOWN = 200;

/** Watches the settlement program: defends this agent's batches and, where it is told to, examines those of others. */
export const watchFace = definePlugin({
  name: 'watch',
  api: '1.0',
  config: watchConfig,
  node: {
    uses: {
      identity: Identity,
      network: Network,
      space: NodeSpace,
      book: Batches,
      archives: Archives,
      steps: Steps,
      alarms: Warnings,
      clock: Clock,
      ledger: optional(Ledger),
    },
    routes: {
      accusations: route('GET /accusations', {
        auth: 'api-read',
        summary: 'Accusations of this agent, and those its wallet has made; newest first.',
        reply: 'accusations',
      }),
    },
    setup({ identity, clock, steps, ledger, ...parts }, { config, log }) {
      const key = identity.address;
      const settlement = ledger?.settlement;

      function watching() {
        if (!settlement || !steps) return [];
        const { accuse, slash, blind } = config;
        const pause = jobPause(settlement);
        const common = { ...parts, settlement, steps, key, log };
        const reader = new EventReader({ ...common, interest: { key, accuse, slash, pause: 2 * pause } });
        const defence = new Defence(common);
        const prosecution = new Prosecution({ ...common, blind, deposits: lamportsOf(config.deposits), pause });
        const slasher = new Slasher(common);

        async function run(stop: AbortSignal): Promise<void> {
          const concerned = accuse || slash || (await settlement!.agent(key))?.stakeOwner != null;
          if (!concerned) return;
          await reader.run(stop);
          await defence.run(stop);
          if (accuse) await prosecution.run(clock.now(), stop);
          if (slash) await slasher.run(stop);
        }
        return [{ name: 'watch', every: pause, first: 2_000, run }];
      }

      return {
        routes: {
          async accusations() {
            const rows = await parts.space.page(accusations, { index: 'recent', reverse: true, limit: SHOWN });
            return rows.map(({ value: { key: agent_id, id, epoch, index, accuser, at, state } }) => ({
              ...{ agent_id, envelope_id: id, epoch, index, accuser, state },
              accused_at: new Date(at * 1_000).toISOString(),
            }));
          },
        },
        jobs: watching(),
      };
    },
  },
});
