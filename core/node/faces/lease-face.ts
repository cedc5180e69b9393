import { Identity, Ledger } from '../../internal-services.ts';
import { requireSettlement } from '../../ledger/require-settlement.ts';
import { parseUsdc } from '../../platform/usdc.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { jobPause } from '../job-pause.ts';
import { READS, STEPS } from '../limits.ts';
import { Counter, DutyWarnings, Leases, Own, SettlementActions } from '../services/behavior.ts';
import { NodeSpace } from '../services/messaging.ts';
import { Events } from '../services/node-events.ts';
import { leaseConfig, leasePolicy } from '../stake/lease-config.ts';
import { LeaseJob } from '../stake/lease-job.ts';
import { LeaseBook } from '../stake/lease-records.ts';
import { leaseView, paymentView } from '../stake/lease-views.ts';

/** The lease of this agent: shown, paid by hand, and paid each epoch where that is configured. */
export const leaseFace = definePlugin({
  name: 'lease',
  api: '2.0',
  summary: 'The lease on the ledger that lets the agent take part.',
  config: leaseConfig,
  node: {
    uses: {
      identity: Identity,
      steps: SettlementActions,
      own: Own,
      counter: Counter,
      space: NodeSpace,
      alarms: DutyWarnings,
      events: Events,
      leases: Leases,
      ledger: optional(Ledger),
    },
    routes: {
      lease: route('GET /lease', {
        auth: 'api-read',
        limit: READS,
        summary: 'How far the lease is paid, and what the node does about it.',
        reply: 'lease-view',
        errors: ['ledger_program_missing', 'ledger_unavailable'],
      }),
      pay: route('POST /lease/pay', {
        auth: 'api',
        summary: 'Pays what is due for the present epoch and some ahead; when nothing is due, nothing is paid.',
        body: 'lease-pay-request',
        money: true,
        reply: 'lease-view',
        idempotency: true,
        errors: [
          'ledger_program_missing',
          'ledger_unavailable',
          'insufficient_funds',
          'spending_cap',
          'conflict',
          'upstream_failed',
        ],
        limit: STEPS,
      }),
    },
    setup({ identity, steps, own, counter, space, alarms, events, leases, ledger }, { config, signal }) {
      const key = identity.address;
      const book = new LeaseBook(space);
      const policy = leasePolicy(config);
      const settlement = ledger?.settlement;
      const job =
        settlement && steps && own && counter
          ? new LeaseJob({
              ...{ settlement, own, counter, steps, book, policy, key, alarms },
              changed: (lease_status, before) => events.emit('lease', key, { change: 'status', lease_status, before }),
              paid(payment) {
                leases.forget(key);
                events.emit('lease', key, { change: 'paid', ...paymentView(payment) });
              },
            })
          : undefined;

      async function look() {
        const program = requireSettlement(ledger);
        const [agent, time, state] = await Promise.all([program.agent(key), program.time(), book.read()]);
        const warnings = alarms.all;
        return leaseView(key, agent, { numbers: program.numbers, time, policy, state, warnings });
      }

      return {
        routes: {
          lease: look,
          async pay({ body }) {
            requireSettlement(ledger);
            const most = body.max_usdc === undefined ? undefined : parseUsdc(body.max_usdc)!;
            await job!.pay({ ahead: body.ahead ?? 0, most }, signal);
            return look();
          },
        },
        jobs: job ? [{ name: 'lease', every: jobPause(settlement!), first: 1_500, run: (stop) => job.run(stop) }] : [],
      };
    },
  },
});
