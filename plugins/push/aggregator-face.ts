import { randomUUID } from 'node:crypto';
import {
  answer,
  type Context,
  defineFace,
  invalidField,
  MeshError,
  normaliseAgentId,
  storeJob,
} from '../../core/plugin.ts';
import { Agents, Clock, Contracts, Http, Metrics, Signatures } from '../../core/services.ts';
import { routes } from './aggregator-routes.ts';
import type { PushConfig } from './config.ts';
import { Mailboxes } from './mailbox.ts';
import { providersOf } from './providers/index.ts';
import { type Device, devices, sleepers } from './records.ts';
import { Waking } from './waking.ts';

const LARGEST = 65_536;
const MOST_HELD = 20_000;
const ASLEEP = 'Messages wait here until the agent takes them';
const PUSHED = `${ASLEEP}, and its device is woken by a push without content.`;
const NOT_PUSHED = `${ASLEEP}. No device is registered: POST /push/register names one to be woken.`;
const AWAKE =
  'Senders reach the agent at its node. Messages that still wait here are taken with GET /agents/:agent_id/pending.';

/** Sleeping agents: what waits for them, and who wakes them. */
export const pushAggregatorFace = defineFace({
  uses: { clock: Clock, http: Http, contracts: Contracts, metrics: Metrics, agents: Agents, signatures: Signatures },
  routes,
  setup(services, { config, space, log, signal }: Context<PushConfig>) {
    const { clock, metrics, agents, signatures } = services;
    const providers = providersOf(services, config);
    const boxes = new Mailboxes(space, config.mostHeld ?? MOST_HELD, clock);
    const waking = new Waking({
      ...{ space, clock, log, signal, providers },
      pushed: metrics.counter('mesh_push_total', 'Pushes to devices of sleeping agents.', ['provider', 'result']),
      missed: metrics.counter(
        'mesh_push_missed_wakes_total',
        'Pushes after which the agent did not come within 15 minutes.',
        ['provider'],
      ),
    });
    const messages = metrics.counter('mesh_push_messages_total', 'Messages to sleeping agents.', ['result']);

    async function ownerOf(text: string, principal: { id: string }, verb: string): Promise<string> {
      const id = idOf(text);
      if (id !== principal.id) throw new MeshError('forbidden', `Only the agent itself ${verb}.`);
      return id;
    }
    async function requireKnown(id: string): Promise<void> {
      if (!(await agents.get(id))) throw new MeshError('not_found', 'This aggregator has not heard of that agent.');
    }

    /** A token is for one request, and a request that takes messages changes something, though it is a GET. */
    async function requireFirst(once: string | undefined): Promise<void> {
      if (once === undefined) return;
      const mine = randomUUID();
      const { value } = await space.tx([], () => mine, { opId: `taken/${once}` });
      if (value !== mine) throw new MeshError('unauthorized', 'This credential was already used for another request.');
    }

    return {
      jobs: [storeJob(space, clock, { name: 'wakes', every: 2_000, first: 500, once: true, run: () => waking.due() })],
      routes: {
        async register_device({ body: { agent_id, push_token, provider }, principal, operationId }) {
          const id = await ownerOf(agent_id, principal, 'says where it is woken');
          await requireKnown(id);
          const device = devices.ref(id);
          if (push_token === '') {
            await space.tx([], (tx) => tx.del(device), { opId: operationId });
            await waking.end(id);
            return { agent_id: id, registered: false };
          }
          const chosen = await chosenFor(push_token, provider);
          const since = clock.now();
          await space.tx([], (tx) => tx.put(device, { provider: chosen, token: push_token, since, missed: 0 }), {
            opId: operationId,
          });
          if ((await boxes.count(id)) > 0) await waking.begin(id);
          return { agent_id: id, registered: true, provider: chosen };
        },
        async set_sleeping({ body: { agent_id, sleeping }, principal, operationId }) {
          const id = await ownerOf(agent_id, principal, 'says whether it sleeps');
          await requireKnown(id);
          const sleeper = sleepers.ref(id);
          await space.tx(
            [sleeper],
            (tx) => {
              if (!sleeping) tx.del(sleeper);
              else if (!tx.get(sleeper)) tx.put(sleeper, { since: tx.now });
            },
            { opId: operationId },
          );
          if (!sleeping) await waking.end(id);
          const pushes = (await space.get(devices.ref(id))) !== undefined;
          const detail = sleeping ? (pushes ? PUSHED : NOT_PUSHED) : AWAKE;
          return { sleeping, holds_messages: sleeping, pushes, pending: await boxes.count(id), detail };
        },
        agent_sleeping: async ({ params }) => ({
          sleeping: (await space.get(sleepers.ref(idOf(params.agent_id)))) !== undefined,
        }),
        async pending_messages({ params, query: { lease, ack, limit = 100 }, principal }) {
          const id = await ownerOf(params.agent_id, principal, 'takes what waits for it');
          await requireFirst(principal.once);
          let left = ack === undefined ? undefined : await boxes.acknowledge(id, ack);
          const found = await boxes.read(id, limit, lease === undefined ? undefined : lease * 1_000);
          const [first, last] = [found[0]?.entry, found.at(-1)?.entry];
          if (left === 0 || (!last && (await boxes.count(id)) === 0)) await waking.end(id);
          const shown = found.map(({ entry: { cursor, id, from, type, at }, base64 }) => ({
            ...{ id, from, msg_type: type, payload: base64, ts: Math.floor(at / 1000), cursor },
          }));
          if (lease !== undefined || !first || !last) return shown;
          return answer(shown, {
            async sent() {
              left = await boxes.remove(id, last.cursor, first.cursor);
              if (left === 0) await waking.end(id);
            },
          });
        },
        async hold_message({ params, body: { envelope_b64, payload } }) {
          const id = idOf(params.agent_id);
          const pointer = envelope_b64 === undefined && payload !== undefined ? '/payload' : '/envelope_b64';
          const base64 = envelope_b64 ?? payload;
          if (base64 === undefined) throw invalidField('/envelope_b64', 'is required');
          const bytes = Buffer.from(base64, 'base64');
          if (bytes.length > LARGEST)
            throw new MeshError('payload_too_large', `An envelope has at most ${LARGEST} bytes here.`);
          const envelope = await signatures.envelope(bytes, pointer);
          if (envelope.recipient !== id) throw invalidField(pointer, 'is not an envelope to this agent');
          const sender = await agents.get(envelope.sender);
          if (!sender)
            throw new MeshError('forbidden', 'This aggregator has not heard of the sender; report its BEACON first.');
          const result = await boxes
            .hold(id, { envelope, base64: bytes.toString('base64'), stranger: sender.rank <= 0 })
            .catch((error: unknown) => {
              messages({ result: error instanceof MeshError ? error.code : 'failed' });
              throw error;
            });
          messages({ result: result.status });
          await waking.begin(id);
          return { envelope_id: envelope.id, ...result };
        },
      },
    };

    async function chosenFor(token: string, named: Device['provider'] | undefined): Promise<Device['provider']> {
      const found = providers.find((one) => (named === undefined ? one.recognises(token) : one.name === named));
      const names = providers.map(({ name }) => name).join(', ');
      if (!found && named !== undefined)
        throw invalidField('/provider', `is not set up at this aggregator, which pushes by ${names}`);
      if (!found)
        throw invalidField(
          '/push_token',
          `is of no service that is set up at this aggregator, which pushes by ${names}`,
        );
      if (!found.recognises(token)) throw invalidField('/push_token', `is no token of ${found.name}`);
      await found.check(token);
      return found.name;
    }
  },
});

function idOf(text: string): string {
  const id = normaliseAgentId(text);
  if (id === undefined) throw invalidField('/agent_id', 'must be 32 bytes in base58 or hex');
  return id;
}
