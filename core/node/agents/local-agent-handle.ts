import type { RateLimiter } from '../../http/limits.ts';
import type { Asker } from '../../provider.ts';
import type { LocalAgent, LocalDeals, LocalInbox, LocalWallet } from '../../services.ts';
import { deliveryOf } from '../deliveries/delivery-of.ts';
import { inboxPage, inboxStream } from '../inbox-stream.ts';
import { dealSteps } from '../offered/deal-steps.ts';
import { followDeals } from '../offered/followed-deals.ts';
import { readsOf } from '../offered/inbox.ts';
import { Requests } from '../offered/requests.ts';
import type { CallBudget } from '../requests/call-budget.ts';
import { sayingsOf } from '../sayings.ts';
import type { AgentGround, AwakeAgent } from './awake-agent.ts';
import { successorOf } from './moves.ts';
import type { Resident } from './resident-memory.ts';
import type { Residents } from './residents.ts';

type Steps = Omit<LocalDeals, 'delivery'>;

export interface HandleOptions {
  readonly residents: Residents;
  readonly ground: AgentGround;
  /** Of all agents of this node: their callers have names of their own. */
  readonly limiter: RateLimiter;
  readonly budget: CallBudget;
  /** Aborted when the node stops. */
  readonly signal: AbortSignal;
}

/** An agent as its plugin acts for it. Every call reads it from the store where it is not in memory. */
export function localAgentHandle(
  resident: Resident,
  { residents, ground, limiter, budget, signal }: HandleOptions,
): LocalAgent {
  const { id, events, plugin } = resident;
  // Requests and operation ids of one agent are none of another's; the plugin holds all that its agents may do.
  const asker: Asker = { name: `${plugin}/${id}`, may: () => true, named: () => true };
  const requests = new Requests(asker.name, ground);
  const use = <T>(work: (agent: AwakeAgent) => Promise<T>) => residents.memory.use(resident, work);
  const sayings = (agent: AwakeAgent) =>
    sayingsOf({ ...ground, ...agent, identity: resident.identity }, limiter)(asker.name);
  const steps = (agent: AwakeAgent) => dealSteps({ ...ground, ...agent, events, signal }, limiter)(asker);
  const step =
    <Args extends readonly unknown[], A>(take: (deals: Steps, ...args: Args) => Promise<A>) =>
    (...args: Args): Promise<A> =>
      use((agent) => take(steps(agent), ...args));

  /** A stream from the agent's inbox, which stays in memory until the stream ends. */
  async function* held<T>(streamOf: (inbox: AwakeAgent['inbox']) => AsyncGenerator<T, void>): AsyncGenerator<T, void> {
    const release = residents.memory.hold(resident);
    try {
      yield* streamOf((await residents.memory.wake(resident)).inbox);
    } finally {
      release();
    }
  }

  const inbox: LocalInbox = {
    page: (query) => use((agent) => readsOf(agent.inbox).page(query)),
    acknowledge: (cursor) => use((agent) => agent.inbox.acknowledge(cursor)),
    follow: (until, after) => held((own) => readsOf(own).follow(until, after)),
    frames: (query, until, ignored) => held((own) => inboxStream(own, query, until, ignored)),
    framesPage: (query) => use((agent) => inboxPage(agent.inbox, query)),
  };
  const deals: LocalDeals = {
    get: step((of, ...args: Parameters<Steps['get']>) => of.get(...args)),
    page: step((of, ...args: Parameters<Steps['page']>) => of.page(...args)),
    propose: step((of, ...args: Parameters<Steps['propose']>) => of.propose(...args)),
    counter: step((of, ...args: Parameters<Steps['counter']>) => of.counter(...args)),
    accept: step((of, ...args: Parameters<Steps['accept']>) => of.accept(...args)),
    reject: step((of, ...args: Parameters<Steps['reject']>) => of.reject(...args)),
    deliver: step((of, ...args: Parameters<Steps['deliver']>) => of.deliver(...args)),
    dispute: step((of, ...args: Parameters<Steps['dispute']>) => of.dispute(...args)),
    feedback: step((of, ...args: Parameters<Steps['feedback']>) => of.feedback(...args)),
    delivery: (conversation) =>
      use(async (agent) =>
        deliveryOf(requests.read('conversation-id', conversation), { deals: agent.deals, expected: agent.expected }),
      ),
    follow(told) {
      const find = (conversation: string) => use((agent) => agent.deals.find(conversation));
      const log = ground.log.child({ agent: id });
      return followDeals({ events, find, signal, log }, (document) => use(async (agent) => told(agent.view(document))));
    },
  };
  const wallet: LocalWallet = {
    balances: () => use((agent) => agent.wallet.balances()),
    holdsUsdc: () => use((agent) => agent.wallet.holdsUsdc()),
    sweep: (request, { operationId } = {}) =>
      use((agent) =>
        requests.step('sweep', 'sweep-request', { request, operationId }, (asked) =>
          agent.wallet.sweep(asked.body, asked.operationId),
        ),
      ),
    history: (query = {}) => use((agent) => agent.wallet.history(requests.read('history-query', query))),
  };
  return {
    id,
    get name() {
      return resident.record.name;
    },
    send: (...given) => use((agent) => sayings(agent).send(...given)),
    status: (envelope) => use((agent) => sayings(agent).status(envelope)),
    envelope: (request, { operationId, before } = {}) =>
      use(({ speech }) => {
        const permit = budget.take.bind(budget, { ip: '', principal: { kind: 'plugin', id: asker.name } });
        return requests.step('envelope', 'send-request', { request, operationId }, (asked) =>
          speech.send(asked.body, { operationId: asked.operationId, ignored: [], permit, before }),
        );
      }),
    inbox,
    deals,
    wallet,
    get successor() {
      return successorOf(resident);
    },
    get pendingSuccessors() {
      return residents.moves.pendingOf(resident);
    },
    get predecessor() {
      return resident.record.succeeds?.agent_id;
    },
    nameSuccessor: (named) => residents.moves.nameSuccessor(resident, named),
    takeOver: (notice) => residents.moves.takeOver(resident, notice),
  };
}
