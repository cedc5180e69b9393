import { ExtensionPoints, Identity, Ledger, Network } from '../../internal-services.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { Clock } from '../../services.ts';
import { jobPause } from '../job-pause.ts';
import { READS } from '../limits.ts';
import { Archives, Batches, DutyWarnings, Own, SettlementActions } from '../services/behavior.ts';
import { NodeSpace } from '../services/messaging.ts';
import { AccusationJob } from '../watch/accusation-job.ts';
import { AccusationResponder } from '../watch/accusation-responder.ts';
import { AgentWatch } from '../watch/agent-watch.ts';
import { EventReader } from '../watch/event-reader.ts';
import { paced } from '../watch/paced.ts';
import { Slasher } from '../watch/slasher.ts';
import { lamportsOf, watchConfig } from '../watch/watch-config.ts';
import { accusations } from '../watch/watch-records.ts';

const SHOWN = 200;

/** Watches the settlement program: defends this agent's batches and, where it is told to, examines those of others. */
export const watchFace = definePlugin({
  name: 'watch',
  api: '2.0',
  summary: 'Holding other staked agents to their batches.',
  config: watchConfig,
  node: {
    uses: {
      identity: Identity,
      network: Network,
      space: NodeSpace,
      book: Batches,
      archives: Archives,
      steps: SettlementActions,
      own: Own,
      alarms: DutyWarnings,
      plugins: ExtensionPoints,
      clock: Clock,
      ledger: optional(Ledger),
    },
    routes: {
      accusations: route('GET /accusations', {
        auth: 'api-read',
        limit: READS,
        summary: 'Accusations of this agent, and those its wallet has made; newest first.',
        reply: 'accusations',
      }),
    },
    setup({ identity, clock, steps, own, ledger, ...parts }, { config, log }) {
      const key = identity.address;
      const settlement = ledger?.settlement;

      function watching() {
        if (!settlement || !steps || !own) return [];
        const { accuse, slash, blind } = config;
        const pause = Math.min(jobPause(settlement), own.reuse);
        const common = { ...parts, settlement, steps, own, key, log, clock, pause };
        const reader = new EventReader({ ...common, interest: { key, others: accuse || slash } });
        const defence = new AccusationResponder(common);
        const prosecution = new AccusationJob({ ...common, blind, deposits: lamportsOf(config.deposits) });
        const slasher = new Slasher(common);
        const judge = slash ? slasher.judge.bind(slasher) : undefined;
        const others = new AgentWatch({ ...common, accuse, judge, pause: 2 * pause });

        const seldom = paced((stop) => reader.run(stop), own.reuse, clock);
        /** The defence first; what fails does not keep the rest from being done. */
        const duties: ((stop: AbortSignal) => Promise<void>)[] = [
          (stop) => defence.run(stop),
          // Plugins hear of events within half a minute; accusations of this agent alone leave more time.
          (stop) => (parts.plugins.followsLedger ? reader.run(stop) : seldom(stop)),
          ...(accuse || slash ? [paced((stop) => others.run(clock.now(), stop), own.reuse, clock)] : []),
          ...(accuse ? [(stop: AbortSignal) => prosecution.run(clock.now(), stop)] : []),
        ];

        async function run(stop: AbortSignal): Promise<void> {
          const watches = accuse || slash || parts.plugins.followsLedger;
          if (!watches && (await own!.recent()).agent?.stakeOwner == null) return;
          const failures: unknown[] = [];
          for (const duty of duties) await duty(stop).catch((error: unknown) => failures.push(error));
          if (failures.length > 0) throw failures[0];
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
