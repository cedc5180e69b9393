import { type Context, defineFace } from '../../core/plugin.ts';
import { AggregatorCalls, Clock, Deals, Inbox, Messages, Payments, Peers, Random, Self } from '../../core/services.ts';
import { type McpConfig, microOf } from './config.ts';
import { Confirmation } from './confirmation.ts';
import { dealTools } from './deal-tools.ts';
import { throughDoor } from './door.ts';
import { marketTools } from './market-tools.ts';
import { messageTools } from './message-tools.ts';
import { mcpRoute } from './routes.ts';
import { handlerOf } from './server.ts';
import { keyIn, Spending } from './spending.ts';
import { VERSION } from './version.ts';
import { DealWaits } from './waiting.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 16;

/** A node lets a language model act for its agent. */
export const nodeFace = defineFace({
  uses: {
    self: Self,
    deals: Deals,
    payments: Payments,
    inbox: Inbox,
    messages: Messages,
    peers: Peers,
    aggregators: AggregatorCalls,
    clock: Clock,
    random: Random,
  },
  routes: { call: mcpRoute('api', { per: 'principal', rate: 600, window: 60 }) },
  async setup(services, { config, space, log, defer }: Context<McpConfig>) {
    const { self, deals, payments, random } = services;
    const hex = (bytes: number) => Buffer.from(random.bytes(bytes)).toString('hex');
    const [perCall, perDay] = [microOf(config.confirmAbove), microOf(config.confirmAbovePerDay)];
    const spending = new Spending(space, perDay);
    const key = await keyIn(space, () => hex(KEY_BYTES));
    const confirmation = new Confirmation({ key, perCall, perDay, spending, newNonce: () => hex(NONCE_BYTES) });
    const waits = new DealWaits(services.clock);
    const handler = handlerOf({
      name: `agent-mesh node ${self.name}`,
      version: VERSION,
      log,
      prompts: true,
      subscribable: true,
      verify: confirmation.verify,
      tools: [
        ...marketTools({ ...services, spending, perCall, perDay }),
        ...dealTools({ deals, payments, confirmation, waits }),
        ...messageTools(services),
      ],
      readables: [
        {
          name: 'deal',
          template: 'mesh://deals/{id}',
          title: 'A deal',
          description: 'A deal of this agent, by its conversation id. It can be subscribed to.',
          read: (id) => deals.get(id),
        },
        {
          name: 'agent',
          template: 'mesh://agents/{id}',
          title: 'An agent',
          description: 'The facts that this node knows of an agent it has heard of, by its id.',
          read: (id) => services.peers.get(id),
        },
      ],
    });
    defer(() => handler.close());
    return {
      routes: {
        call: ({ body, headers, principal, signal }) =>
          throughDoor(handler, { body, headers, principal: principal.id, signal }),
      },
      ready() {
        defer(
          deals.follow((deal) => {
            waits.changed(deal);
            handler.notify.resourceUpdated(`mesh://deals/${deal.conversation_id}`);
          }),
        );
      },
    };
  },
});
