import { defineFace, definePlugin, invalidField, type ReceivedEnvelope } from '../../core/plugin.ts';
import { Clock, Events, Http, type NodeEventType, Random, Self } from '../../core/services.ts';
import { letterOf, shownSecret } from './letter.ts';
import { schemas } from './records.ts';
import { type Listed, Registry } from './registry.ts';
import { type HookView, routes } from './routes.ts';

const EVERYTHING = {
  ADVERTISE: true,
  DISCOVER: true,
  PROPOSE: true,
  COUNTER: true,
  ACCEPT: true,
  REJECT: true,
  DELIVER: true,
  NOTARIZE_BID: true,
  NOTARIZE_ASSIGN: true,
  VERDICT: true,
  FEEDBACK: true,
  DISPUTE: true,
  BROADCAST: true,
  BOUNTY: true,
  MESSAGE: true,
} as const;
/** Those of `reputation` have the node ask its aggregators: they are followed from the first receiver on that wants them. */
const USUAL: readonly NodeEventType[] = ['envelope', 'peer', 'deal', 'batch', 'lease', 'key_change', 'plugin'];
const SECRET_BYTES = 32;
const ID_BYTES = 16;
/** Milliseconds until a reader that fell behind reads again. */
const AGAIN = 1_000;

const face = defineFace({
  uses: { self: Self, clock: Clock, random: Random, http: Http, events: Events },
  routes,
  envelopes: EVERYTHING,
  async setup({ self, clock, random, http, events }, { space, log, signal, defer }) {
    const registry = new Registry({ space, http, clock, log, signal });
    const source = `agent-mesh/${self.id}`;
    const newId = () => Buffer.from(random.bytes(ID_BYTES)).toString('hex');

    async function follow(types: readonly NodeEventType[]): Promise<void> {
      while (!signal.aborted) {
        try {
          for await (const event of events.follow(types, signal)) {
            await registry.told('events', event.type, () => {
              const [id, type] = [newId(), `event.${event.type}`];
              const { at, ...data } = event;
              return { event: id, type, body: letterOf({ id, type, source, time: Date.parse(at), data }) };
            });
          }
        } catch (error) {
          if (!signal.aborted) log.warn({ error }, 'events were missed by webhooks');
        }
        if (!signal.aborted) await new Promise<void>((resolve) => void clock.after(AGAIN, resolve));
      }
    }

    function message(envelope: ReceivedEnvelope): Promise<void> {
      const { id, type: msg_type, sender, recipient, conversationId, sentAt, payload } = envelope;
      const type = `message.${msg_type}`;
      const data = { envelope_id: id, msg_type, sender, recipient, conversation_id: conversationId, payload };
      const letter = () => ({ event: id, type, body: letterOf({ id, type, source, time: sentAt, data }) });
      return registry.told('messages', msg_type, letter);
    }

    let hasReputation = false;
    function followReputation(wanted: readonly string[]): void {
      if (hasReputation || !wanted.some((one) => one === 'reputation' || one === '*')) return;
      hasReputation = true;
      void follow(['reputation']);
    }

    await registry.start();
    defer(() => registry.end());
    return {
      ready: async () => {
        void follow(USUAL);
        for (const { events: wanted } of await registry.list()) followReputation(wanted);
      },
      envelopes: Object.fromEntries(Object.keys(EVERYTHING).map((name) => [name, message])) as Record<
        keyof typeof EVERYTHING,
        typeof message
      >,
      routes: {
        list: async () => ({ hooks: (await registry.list()).map(viewOf) }),
        async add({ body: { url, events: wanted = [], messages = [] } }) {
          checkUrl(url);
          if (wanted.length + messages.length === 0) throw invalidField('/events', 'or messages must name something');
          const unknown = messages.find((name) => name !== '*' && !Object.hasOwn(EVERYTHING, name));
          if (unknown !== undefined)
            throw invalidField('/messages', `has ${unknown}; there are ${Object.keys(EVERYTHING).join(', ')} and *`);
          const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64');
          const hook = await registry.add(newId(), secret, { url, events: wanted, messages });
          followReputation(wanted);
          return { ...viewOf(hook), secret: shownSecret(secret) };
        },
        async remove({ params }) {
          await registry.remove(params.id);
          return { ok: true as const };
        },
        async dead({ params, query: { limit = 50, after = 0 } }) {
          const found = await registry.dead(params.id, limit, after);
          const dead = found.map(({ event: id, number, type, attempts, created_at, error }) => ({
            ...{ id, number, type, attempts, created_at: new Date(created_at).toISOString(), error },
          }));
          return { dead };
        },
        redeliver: async ({ params, body }) => ({ redelivered: await registry.redeliver(params.id, body.delivery) }),
      },
    };
  },
});

function viewOf({ secret: _, next: _next, created_at, ...hook }: Listed): HookView {
  return { ...hook, created_at: new Date(created_at).toISOString() };
}

function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw invalidField('/url', 'must be an http: or https: URL');
  if (url.username !== '' || url.password !== '') throw invalidField('/url', 'must not hold a user or password');
}

export const webhooks = definePlugin({
  name: 'webhooks',
  api: '2.0',
  summary: 'Tells receivers by HTTP about events and messages of the node, signed, until they have taken them.',
  schemas,
  permissions: ['messages:read', 'deals:read', 'http:*'],
  node: face,
});
