import { Identity, Ledger, Mesh, Network, Settings } from '../../internal-services.ts';
import { networkParts, networkView } from '../../ledger/network-parts.ts';
import { SIGNING_ERRORS } from '../../messaging/signing-guard.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import { formatConversationId, NO_CONVERSATION } from '../../protocol/identity/ids.ts';
import { Clock, Random } from '../../services.ts';
import { Advertisement } from '../advertisement.ts';
import { agentNameOf } from '../agent-name.ts';
import { isPartner } from '../deals/deal-document.ts';
import { Discovery } from '../discovery.ts';
import { STEPS } from '../limits.ts';
import { conversationOf } from '../requests/addresses.ts';
import { bountyOf, payloadOf } from '../requests/payloads.ts';
import { Heard } from '../services/broadcasts.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';

const DAY = 86_400_000;

const spoken = {
  auth: 'api',
  reply: 'sent',
  errors: SIGNING_ERRORS,
  idempotency: true,
  limit: STEPS,
} as const;

/** How agents that do not know each other find work and workers: ADVERTISE, DISCOVER, BOUNTY. */
export const marketFace = definePlugin({
  name: 'market',
  api: '2.0',
  summary: 'How agents find work and workers: ADVERTISE, DISCOVER, BOUNTY.',
  node: {
    uses: {
      messages: Messaging,
      heard: Heard,
      mesh: Mesh,
      space: NodeSpace,
      identity: Identity,
      network: Network,
      settings: Settings,
      clock: Clock,
      random: Random,
      ledger: optional(Ledger),
    },
    routes: {
      advertise: route('POST /advertise', {
        ...spoken,
        summary: 'Says to everybody what this agent can do, where and for how much; the node repeats it daily.',
        body: 'advertise-request',
      }),
      advertisement: route('GET /advertise', {
        auth: 'api-read',
        summary: 'What this agent says of itself.',
        reply: 'advertisement',
        limit: STEPS,
      }),
      introduction: route('GET /agent', {
        auth: 'open',
        summary: 'Who this agent is, what it says it can do, and the network that it is of.',
        reply: 'introduction',
        limit: { per: 'ip', rate: 600, window: 60 },
      }),
      bounty: route('POST /bounty', {
        ...spoken,
        summary: 'Offers work to whoever can do it; who wants it writes a MESSAGE in this conversation.',
        body: 'bounty-request',
      }),
    },
    async setup({ messages, heard, mesh, space, identity, network, settings, clock, random, ledger }, { log, defer }) {
      const own = await Advertisement.open(space, settings);
      const view = networkView(network, networkParts(ledger, settings.network));
      const codec = codecOf('ADVERTISE', network.version);
      let said: number | undefined;

      async function advertise(conversationId = NO_CONVERSATION, operationId?: string) {
        const body = codec.encode(own.payload, identity.key);
        const sent = await messages.send({ msgType: 'ADVERTISE', conversationId, body }, undefined, operationId);
        said = clock.now();
        return sent;
      }

      const isConnected = () => mesh.peers().some(({ hub, dialled, state }) => hub && dialled && state === 'open');
      async function repeat(): Promise<void> {
        if (!own.isEmpty && isConnected()) await advertise();
      }
      const unasked = (work: Promise<unknown>, failure = 'the ADVERTISE was not sent') =>
        void work.catch((error: unknown) => log.warn({ error }, failure));
      const discovery = new Discovery({
        clock,
        random,
        isPartner: (key) => isPartner(space, key),
        own: () => own.payload,
        answer: (conversation) => unasked(advertise(conversation)),
      });
      defer(heard.listen((message) => unasked(discovery.heard(message), 'a DISCOVER was not answered')));
      defer(
        mesh.watch({
          // Once at start, as soon as there is somebody to say it to.
          peerUp: ({ hub, dialled }) => {
            if (hub && dialled && said === undefined) clock.after(0, () => said === undefined && unasked(repeat()));
          },
        }),
      );
      return {
        routes: {
          async advertise({ body, operationId }) {
            await own.say(payloadOf('ADVERTISE', network.version, body));
            return advertise(NO_CONVERSATION, operationId);
          },
          advertisement: () => ({
            payload: own.payload,
            advertised_at: said === undefined ? null : new Date(said).toISOString(),
          }),
          introduction: () => {
            const { capabilities = [], description, price_range_usd } = own.payload;
            return {
              agent_id: identity.address,
              name: agentNameOf(settings, identity),
              capabilities,
              ...(description !== undefined && { description }),
              ...(price_range_usd && { price_range_usd }),
              network: view,
            };
          },
          async bounty({ body, operationId }) {
            const { conversation_id, ...rest } = body;
            const conversationId = conversationOf(conversation_id, random);
            const bounty = payloadOf('BOUNTY', network.version, bountyOf(rest, formatConversationId(conversationId)));
            const bytes = codecOf('BOUNTY', network.version).encode(bounty, identity.key);
            return messages.send({ msgType: 'BOUNTY', conversationId, body: bytes }, undefined, operationId);
          },
        },
        jobs: [{ name: 'advertise', every: DAY, run: repeat }],
      };
    },
  },
});
