import { type Context, defineFace, definePlugin, formatUsdc, parseUsdc, route } from '../../core/plugin.ts';
import { AggregatorCalls, Clock, Contracts, Deals, Payments, Random, Self } from '../../core/services.ts';
import { leftForNew, spentToday } from './budget.ts';
import { Buyer } from './buyer.ts';
import { config, type ProbeConfig } from './config.ts';
import * as shapes from './shapes.ts';
import { dayBudget, probes, STORED, schedule } from './stored.ts';

const READS = { per: 'principal', rate: 600, window: 60 } as const;
const HIRES = { per: 'principal', rate: 30, window: 60 } as const;
const EVERY_MS = 2_000;
const OFF = 'probe: nobody is hired, since plugins.probe.maxPerDay is 0';

const nodeFace = defineFace({
  uses: {
    ...{ deals: Deals, payments: Payments, aggregators: AggregatorCalls, contracts: Contracts },
    ...{ self: Self, clock: Clock, random: Random },
  },
  envelopes: { DELIVER: true },
  routes: {
    probe_status: route('GET /probe', {
      auth: 'api-read',
      limit: READS,
      feature: 'probe',
      summary: 'The budget of the probe buyer, and how much of it is left.',
      reply: shapes.status,
    }),
    list_probes: route('GET /probe/deals', {
      auth: 'api-read',
      limit: READS,
      feature: 'probe',
      summary: 'The agents that the probe buyer hired, the last one first; their deals are marked as probes here.',
      query: shapes.listQuery,
      reply: shapes.list,
    }),
    buy_probe: route('POST /probe/hire', {
      auth: 'api',
      limit: HIRES,
      feature: 'probe',
      money: true,
      idempotency: true,
      summary: 'Hires one agent for a small job now, within the budgets.',
      reply: shapes.probe,
      status: 201,
      errors: ['probe_budget', 'probe_nobody', 'upstream_failed', 'rate_limited'],
    }),
  },
  setup(services, { config, space, log, note, defer }: Context<ProbeConfig>) {
    const { deals, clock } = services;
    const buyer = new Buyer({ ...services, space, log }, config);
    const isOn = buyer.limits.perDay > 0n;
    if (!isOn) note(OFF);
    return {
      ready() {
        defer(deals.follow(({ conversation_id }) => buyer.goOn(conversation_id)));
      },
      jobs: [{ name: 'buyer', every: EVERY_MS, run: (signal) => buyer.run(signal) }],
      health: () => (buyer.problem === undefined ? { state: 'ok' } : { state: 'degraded', detail: buyer.problem }),
      envelopes: {
        async DELIVER({ conversationId, sender, payload }) {
          const content = Buffer.from(payload.inline_b64 ?? '', 'base64').toString('utf8');
          await buyer.delivered(conversationId, sender, content);
        },
      },
      routes: {
        async probe_status() {
          const [day, next, open] = await Promise.all([
            space.get(dayBudget),
            space.get(schedule),
            space.count(probes, 'open'),
          ]);
          const spent = spentToday(day, clock.now());
          const left = buyer.limits.perDay - spent;
          return {
            on: isOn,
            max_per_day_usdc: formatUsdc(buyer.limits.perDay),
            spent_usdc: formatUsdc(spent),
            left_usdc: formatUsdc(left > 0n ? left : 0n),
            left_new_usdc: formatUsdc(leftForNew(day, buyer.limits, clock.now())),
            amount_usdc: formatUsdc(parseUsdc(config.amount)!),
            max_per_agent_usdc: formatUsdc(buyer.limits.perAgent),
            open,
            next_at: next ? shapes.isoTime(next.next) : null,
            problem: buyer.problem ?? null,
          };
        },
        async list_probes({ query: { limit = 50, after } }) {
          const [created, id = ''] = after?.split('-') ?? [];
          const from = created === undefined ? undefined : [-Number(created)];
          const found = await space.page(probes, { index: 'recent', limit: limit + 1, ...(from && { from }) });
          const rows = found.filter((row) => `${row.value.created}` !== created || row.id > id).slice(0, limit);
          const last = found.length > limit ? rows.at(-1) : undefined;
          return { probes: rows.map(shapes.probeView), next: last ? `${last.value.created}-${last.id}` : null };
        },
        buy_probe: async ({ operationId }) => shapes.probeView(await buyer.hire(operationId)),
      },
    };
  },
});

/** An operator's own buyer: hires agents at random for small jobs, so that good work stands on grounded money. */
export const probePlugin = definePlugin({
  name: 'probe',
  api: '2.1',
  summary: 'Hires agents at random for small jobs, within a budget.',
  permissions: ['deals:read', 'deals:act', 'money:spend', 'messages:read', 'aggregators:/agents'],
  config,
  errors: {
    probe_budget: [403, 'A budget of the probe buyer does not allow another probe now.'],
    probe_nobody: [409, 'No agent can be hired as a probe now.'],
  },
  schemas: [...STORED, ...[shapes.probe, shapes.list, shapes.status].map(({ schema }) => schema)],
  node: nodeFace,
});
