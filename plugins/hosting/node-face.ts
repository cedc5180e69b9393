import {
  type Context,
  defineFace,
  MeshError,
  networkOf,
  renamedFields,
  StreamEnd,
  storeJob,
} from '../../core/plugin.ts';
import { Clock, Http, type LocalAgent, LocalAgents, Metrics, Random, Self } from '../../core/services.ts';
import { Accounts } from './accounts.ts';
import { idOf } from './agent-id.ts';
import type { HostingConfig } from './config.ts';
import { Departures } from './departures.ts';
import { Fees } from './fees.ts';
import { Heartbeats } from './heartbeat.ts';
import { Host, type Registered, type Registration } from './host.ts';
import { LiveStreams } from './live-streams.ts';
import { masterKey } from './master-key.ts';
import { noticeOf } from './moving.ts';
import { routes } from './node-routes.ts';
import { Outgoing } from './outgoing.ts';
import { Places } from './places.ts';
import { sessions as sessionRecords } from './records.ts';
import { RegistrationRate } from './registration-rate.ts';
import { Sessions } from './sessions.ts';
import { SubKeys } from './sub-keys.ts';
import { lineView, movementOf, registeredView, renewedView, sessionView, statementView } from './views.ts';

const OFF = 'This node hosts no agents; its operator starts it with --hosting.';
const NO_SECRET = 'hosting: no aggregator lists this host, since plugins.hosting.hostingSecret is not set';
const DONE = { ok: true } as const;

/** Agents that this node runs for clients elsewhere. */
export const hostingNodeFace = defineFace({
  uses: { agents: LocalAgents, self: Self, clock: Clock, random: Random, http: Http, metrics: Metrics },
  guards: {
    hosted: {
      summary: 'The token of a hosted agent, from POST /hosted/register',
      scheme: { type: 'http', scheme: 'bearer', description: 'The token that POST /hosted/register answered.' },
    },
    'hosted-or-anyone': {
      summary: 'The token of a hosted agent, or none',
      scheme: {
        type: 'http',
        scheme: 'bearer',
        description: 'The token of a hosted agent, where it shall be checked.',
      },
    },
  },
  routes,
  async setup({ agents, self, clock, random, http, metrics }, context: Context<HostingConfig>) {
    const { config, space, log, signal } = context;
    const { feeBps, hostingSecret: secret, tokenDays, registrationsPerMinute } = config;
    const place = { host: self.id, fee_bps: feeBps };
    const accounts = new Accounts(space, clock);
    const sessions = new Sessions({ space, clock, random, tokenDays });
    const fees = new Fees({ space, clock, log, agents, accounts, feeBps });
    const departures = new Departures(sessions);
    const outgoing = new Outgoing({ fees, random, departures });
    const streams = new LiveStreams();
    const sent = metrics.counter('mesh_hosting_heartbeats_sent_total', 'Heartbeats to aggregators.', ['result']);
    const host = config.hostAgents ? await opened() : undefined;
    const heartbeats =
      host && secret !== undefined
        ? new Heartbeats({
            ...{ agents, self, http, clock, log, signal, secret, feeBps, sent },
            hosted: () => host.count,
          })
        : undefined;
    if (host && !heartbeats) context.note(NO_SECRET);

    async function opened(): Promise<Host> {
      const key = await masterKey({ space, random, folder: await context.folder(), passphrase: config.passphrase });
      const keys = new SubKeys(key, agents, random);
      const rate = new RegistrationRate(clock, registrationsPerMinute);
      const places = new Places({ all: config.maxAgents, ofAddress: config.maxPerAddress });
      return new Host({ agents, sessions, keys, fees, streams, rate, places, log });
    }
    function hosting(): Host {
      if (!host) throw new MeshError('hosting_off', OFF);
      return host;
    }
    async function admitted(token: string | undefined) {
      hosting();
      const session = token === undefined ? undefined : await sessions.find(token);
      if (!session) return null;
      if (sessions.hasEnded(session))
        throw new MeshError('unauthorized', 'The token has ended; ask the operator of this host for another one.');
      return { kind: 'hosted', id: session.agent_id };
    }
    async function agentOf({
      principal: { id },
    }: {
      readonly principal: { readonly id: string };
    }): Promise<LocalAgent> {
      await sessions.use(id);
      return hosting().agent(id);
    }
    async function registered(asked: Registration): Promise<Registered> {
      try {
        return await hosting().register(asked);
      } catch (error) {
        throw renamedFields(error, '/recoveryKey', '/recovery_key');
      }
    }
    /** An agent that is hosted here, or was: its account is kept. */
    async function accountOf(text: string): Promise<string> {
      hosting();
      const id = idOf(text, '/agent_id');
      if ((await sessions.get(id)) || (await accounts.statement(id, 1)).length > 0) return id;
      throw new MeshError('not_found', `No agent ${id} is hosted here, and none was that has an account.`);
    }

    return {
      guards: {
        hosted: ({ token }) => admitted(token),
        'hosted-or-anyone'({ token, headers }) {
          hosting();
          return headers['authorization'] === undefined ? { kind: 'anyone', id: '' } : admitted(token);
        },
      },
      jobs: host
        ? [storeJob(space, clock, { name: 'fees', every: 2_000, run: (stop) => fees.run(stop) }), sessionsJob(host)]
        : [],
      health: () => heartbeats?.health() ?? { state: 'ok' },
      async ready() {
        await host?.start();
        heartbeats?.start();
      },
      routes: {
        hosted_ping: () => DONE,
        hosted_register: async ({ body: { name, recovery_key: recoveryKey }, ip }) =>
          registeredView(await registered({ name, recoveryKey, network: networkOf(ip) }), place),
        async hosted_session({ principal: { id } }) {
          const session = await sessions.get(id);
          if (!session) throw new MeshError('unauthorized');
          return sessionView(session, await accounts.balance(id), place, agents.get(id));
        },
        rotate_hosted_token: async ({ principal: { id } }) => renewedView(await hosting().renew(id)),
        async leave_host({ principal: { id }, query }) {
          await hosting().remove(id, query.abandon_usdc);
          return DONE;
        },
        async move_hosted_agent(call) {
          const { successor, abandon_deals = false, ...named } = call.body;
          const to = { ...named, successor: idOf(successor, '/successor') };
          return departures.name(await agentOf(call), to, abandon_deals);
        },
        async take_over_agent(call) {
          const agent = await agentOf(call);
          const succession = await agent.takeOver(noticeOf(call.body));
          // The next start brings the agent back by this name, which a notice that is repeated does not change.
          await sessions.rename(agent.id, agent.name);
          return succession;
        },
        hosted_statement: async ({ principal: { id }, query: { limit = 50, before } }) =>
          statementView(await accounts.statement(id, limit, before), limit),
        hosted_send: async (call) => outgoing.send(await agentOf(call), call),
        hosted_propose: async (call) => outgoing.propose(await agentOf(call), call),
        hosted_counter: async (call) => outgoing.counter(await agentOf(call), call),
        hosted_accept: async (call) => outgoing.accept(await agentOf(call), call),
        hosted_reject: async (call) => (await agentOf(call)).deals.reject(call.body, call),
        hosted_deliver: async (call) => (await agentOf(call)).deals.deliver(call.body, call),
        hosted_dispute: async (call) => (await agentOf(call)).deals.dispute(call.body, call),
        hosted_advertise: async (call) => outgoing.toAll(await agentOf(call), 'ADVERTISE', call),
        hosted_bounty: async (call) => outgoing.toAll(await agentOf(call), 'BOUNTY', call),
        hosted_feedback: async (call) => (await agentOf(call)).deals.feedback(call.body, call),
        hosted_sweep: async (call) => (await agentOf(call)).wallet.sweep(call.body, call),
        hosted_balances: async (call) => (await agentOf(call)).wallet.balances(),
        hosted_history: async (call) => (await agentOf(call)).wallet.history(call.query),
        hosted_deals: async (call) => (await agentOf(call)).deals.page(call.query),
        hosted_deal: async (call) => (await agentOf(call)).deals.get(call.params.conversation_id),
        hosted_delivery: async (call) => (await agentOf(call)).deals.delivery(call.params.conversation_id),
        hosted_inbox: async (call) => (await agentOf(call)).inbox.framesPage(call.query),
        acknowledge_hosted_inbox: async (call) => (await agentOf(call)).inbox.acknowledge(call.body.cursor),
        async *hosted_frames(call) {
          const { id, inbox } = await agentOf(call);
          const session = await sessions.get(id);
          const live = streams.open(id, session?.expires_at ?? 0);
          try {
            yield* inbox.frames(call.query, AbortSignal.any([call.signal, live.signal]), call.ignored);
            if (live.signal.aborted) throw new StreamEnd(1008, 'the token holds no more');
          } finally {
            live.close();
          }
        },
        async hosted_agents({ query: { limit = 50, after } }) {
          hosting();
          const last = after === undefined ? undefined : { key: idOf(after, '/after'), id: idOf(after, '/after') };
          const found = await space.page(sessionRecords, { limit, after: last });
          const shown = found.map(async ({ id, value }) =>
            sessionView(value, await accounts.balance(id), place, agents.get(id)),
          );
          return { agents: await Promise.all(shown), next: found.length === limit ? found.at(-1)!.id : null };
        },
        async remove_hosted_agent({ params, query }) {
          await hosting().remove(idOf(params.agent_id, '/agent_id'), query.abandon_usdc);
          return DONE;
        },
        renew_hosted_token: async ({ params }) =>
          renewedView(await hosting().renew(idOf(params.agent_id, '/agent_id'))),
        hosted_account_statement: async ({ params, query: { limit = 50, before } }) =>
          statementView(await accounts.statement(await accountOf(params.agent_id), limit, before), limit),
        credit_hosted_agent: async ({ params, body, operationId }) =>
          lineView(await accounts.credit(await accountOf(params.agent_id), { ...movementOf(body), operationId })),
        debit_hosted_agent: async ({ params, body, operationId }) =>
          lineView(await accounts.debit(await accountOf(params.agent_id), { ...movementOf(body), operationId })),
      },
    };

    function sessionsJob(of: Host) {
      return {
        name: 'sessions',
        every: 60_000,
        first: 1_000,
        async run() {
          streams.endBefore(clock.now());
          await of.clear();
        },
      };
    }
  },
});
