import { type Context, defineFace, MeshError, storeJob } from '../../core/plugin.ts';
import {
  CardKeys,
  Clock,
  Contracts,
  Deals,
  Http,
  LocalAgents,
  Messages,
  Payments,
  Peers,
  Random,
  Self,
  Signatures,
} from '../../core/services.ts';
import { admission } from './admission.ts';
import { CardKey, seedIn } from './cards/card-key.ts';
import { CardRack } from './cards/card-rack.ts';
import type { A2aConfig } from './config.ts';
import { Desks, GUEST, HIRE } from './desks/desks.ts';
import { HireDesk } from './desks/hire-desk.ts';
import { Jobs } from './outbound/jobs.ts';
import { jobRoutes, jobView } from './outbound/routes.ts';
import { Entrance, type Request } from './protocol/entrance.ts';
import { Refusal } from './protocol/refusal.ts';
import type { Visit } from './protocol/visit.ts';
import { Pushes } from './pushes/pushes.ts';
import { agentParam, document, documentAnswer, taskRoutes } from './routes.ts';
import { GuestRate } from './tasks/guest-rate.ts';
import { Seats } from './tasks/seats.ts';
import { TaskBook } from './tasks/task-book.ts';
import { TaskDesk } from './tasks/task-desk.ts';
import { taskOperations } from './tasks/task-operations.ts';
import { Watching } from './tasks/watching.ts';

const DAY = 24 * 3_600_000;
const given = taskRoutes('a2a', '/a2a/:agent', 'for clients of the agents of this node');
const hired = taskRoutes('api', '/a2a/hire/:agent', 'for the owner, who hires an agent of the mesh');

/** The part of a call that a visit is made of. */
interface TaskCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Request['query'];
  readonly headers: Request['headers'];
  readonly principal: { readonly id: string };
  readonly ip: string;
  readonly signal: AbortSignal;
  readonly body?: AsyncIterable<Uint8Array> | undefined;
}

/** A node answers A2A clients: they give tasks to its agents, and its owner hires agents of the mesh. */
export const nodeFace = defineFace({
  uses: {
    self: Self,
    deals: Deals,
    payments: Payments,
    messages: Messages,
    agents: LocalAgents,
    peers: Peers,
    http: Http,
    contracts: Contracts,
    cardKeys: CardKeys,
    signatures: Signatures,
    clock: Clock,
    random: Random,
  },
  guards: {
    a2a: {
      summary: 'A client of the plugin a2a',
      scheme: { type: 'http', scheme: 'bearer', description: 'The token of a client; none where guests may call.' },
    },
  },
  routes: {
    card: document('GET /.well-known/agent-card.json', 'The A2A card of the agent of this node, signed'),
    keys: document('GET /.well-known/jwks.json', 'The key that signs the cards of this node'),
    card_of: document(
      'GET /a2a/:agent/.well-known/agent-card.json',
      'The A2A card of an agent of this node',
      'open',
      agentParam,
    ),
    card_to_hire: document(
      'GET /a2a/hire/:agent/.well-known/agent-card.json',
      'The A2A card by which the owner hires an agent of the mesh',
      'api-read',
      agentParam,
    ),
    ...{ rpc: given.rpc, read: given.read, act: given.act, remove: given.remove },
    ...{ hire_rpc: hired.rpc, hire_read: hired.read, hire_act: hired.act, hire_remove: hired.remove },
    ...jobRoutes,
  },
  envelopes: { DELIVER: true, MESSAGE: true },
  async setup(services, { config, space, log, signal, defer, url }: Context<A2aConfig>) {
    const { self, clock, random, deals, payments, messages, http, contracts } = services;
    const key = new CardKey(await seedIn(space, 'card', random), services.cardKeys, clock);
    const rack = new CardRack({ ...services, key, config });
    const desks = new Desks(
      { ...services, space, log, signal },
      new HireDesk({ deals, payments, messages, terms: config.hire }),
    );
    await desks.open(config);
    const tokens = new Map(config.outbound.tokens.map(({ origin, token }) => [new URL(origin).origin, token]));
    const foreign = { signatures: services.signatures, network: self.network, signedOnly: config.outbound.signed };
    const jobs = new Jobs({ space, http, clock, random, log, signal, tokens, ...foreign });
    const isCaller = (caller: string) => desks.of(caller) !== undefined;
    const isPublicOnly = (caller: string) => caller !== HIRE && !config.pushes.privateAddresses;
    const pushes = new Pushes({ space, http, clock, log, signal, isCaller, isPublicOnly });
    const book = new TaskBook(space, pushes);
    const deliveryUrl = (id: string) => `${url()}/deals/${id}/delivery`;
    const means = { book, deskOf: (caller: string) => desks.of(caller), rate: new GuestRate(clock), deliveryUrl };
    const desk = new TaskDesk({ ...means, random, clock, log, signal });
    const operations = taskOperations({
      ...{ book, desk, pushes, watching: new Watching(book, new Seats(), clock) },
      priced({ caller, agent }) {
        if (caller === HIRE || config.price === '0') return undefined;
        return `This agent works for ${config.price} USDC in a deal on the mesh ${self.network}: hire ${agent} from a node of your own.`;
      },
      extendedCard({ caller, agent }) {
        const served = caller === HIRE ? undefined : rack.served(agent);
        if (served?.id !== self.id || config.extendedSkills.length === 0)
          throw new Refusal('UNSUPPORTED_OPERATION', { detail: 'This agent has no extended card.' });
        if (caller === GUEST) throw new Refusal('unauthenticated');
        return rack.card(served, true);
      },
    });
    const entrance = new Entrance({
      ...{ contracts, clock, log },
      run: (operation, params, visit) => operations[operation](params, visit),
    });

    function visitOf({ params: { agent = '' }, ip, signal: gone }: TaskCall, caller: string): Visit {
      const isServed = caller === HIRE ? agent !== self.id : rack.served(agent) !== undefined;
      const desk = desks.of(caller);
      if (!isServed || !desk) throw new MeshError('not_found', 'No such agent is served here.');
      return { caller, agent, desk, network: caller === GUEST ? ip : '', signal: gone };
    }
    function requestOf(call: TaskCall, caller: string): Request {
      const visit = visitOf(call, caller);
      const { query, headers, body } = call;
      return { query, headers, visit: () => visit, ...(body && { body }) };
    }
    const handlers = (callerOf: (call: TaskCall) => string) => ({
      rpc: (call: TaskCall) => entrance.rpc(requestOf(call, callerOf(call))),
      read: (call: TaskCall) => entrance.rest(requestOf(call, callerOf(call)), 'GET', call.params['path']!),
      act: (call: TaskCall) => entrance.rest(requestOf(call, callerOf(call)), 'POST', call.params['path']!),
      remove: (call: TaskCall) => entrance.rest(requestOf(call, callerOf(call)), 'DELETE', call.params['path']!),
    });
    const forClients = handlers(({ principal }) => principal.id);
    const forOwner = handlers(() => HIRE);
    const tag = ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
      headers['if-none-match'];

    async function lookAtAll(): Promise<void> {
      for await (const record of book.open()) {
        if (signal.aborted) return;
        await desk
          .refreshed(record)
          .catch((error: unknown) => log.warn({ err: error, task: record.id }, 'a task was not looked at'));
      }
    }

    return {
      guards: { a2a: admission(config) },
      routes: {
        card: (call) => documentAnswer(rack.card(rack.served(self.id)!), tag(call)),
        keys: (call) => documentAnswer({ keys: [key.jwk] }, tag(call)),
        card_of(call) {
          const served = rack.served((call.params as Record<string, string>)['agent']!);
          if (!served) throw new MeshError('not_found', 'No such agent is served here.');
          return documentAnswer(rack.card(served), tag(call));
        },
        async card_to_hire(call) {
          const agent = (call.params as Record<string, string>)['agent']!;
          if (agent === self.id) throw new MeshError('not_found', 'A node does not hire itself.');
          return documentAnswer(await rack.hired(agent), tag(call));
        },
        ...forClients,
        ...{ hire_rpc: forOwner.rpc, hire_read: forOwner.read, hire_act: forOwner.act, hire_remove: forOwner.remove },
        jobs: async ({ query: { limit = 50, offset = 0 } }) => ({
          jobs: (await jobs.list(limit, offset)).map(jobView),
        }),
        begin_job: async ({ body: { card_url, message }, operationId }) =>
          jobView(await jobs.begin(card_url, message, operationId)),
        job: async ({ params }) => jobView(await jobs.get(params.id)),
        say_to_job: async ({ params, body, operationId }) =>
          jobView(await jobs.say(params.id, body.message, operationId)),
        cancel_job: async ({ params }) => jobView(await jobs.cancel(params.id)),
      },
      envelopes: {
        DELIVER: (envelope) => desk.heard(HIRE, envelope),
        MESSAGE: (envelope) => desk.heard(HIRE, envelope),
      },
      jobs: [
        storeJob(space, clock, { name: 'look-elsewhere', every: 2_000, run: () => jobs.look() }),
        storeJob(space, clock, { name: 'push', every: 1_000, run: () => pushes.look() }),
        {
          // Open tasks are written again, so that they outlive the time for which ended ones are kept.
          name: 'keep',
          every: DAY,
          async run() {
            for await (const { id } of book.open()) await book.change(id, (record) => ({ ...record }));
          },
        },
      ],
      async ready() {
        await jobs.open();
        defer(deals.follow(async (deal) => void (await desk.dealChanged(HIRE, deal))));
        desks.follow({
          deal: (caller, deal) => desk.dealChanged(caller, deal),
          heard: (caller, envelope) => desk.heard(caller, envelope),
        });
        void lookAtAll().catch((error: unknown) => log.error({ err: error }, 'the open tasks were not looked at'));
      },
    };
  },
});
