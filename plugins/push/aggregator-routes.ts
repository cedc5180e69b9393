import { type Limit, route } from '../../core/plugin.ts';

const READS: Limit = { per: 'ip', rate: 6_000, window: 60 };
const WRITES: Limit = { per: 'ip', rate: 600, window: 60 };
/** JSON around 64 KiB in base64. */
const MAX_BODY = 98_304;

export const routes = {
  register_device: route('POST /push/register', {
    auth: 'agent',
    summary: 'An agent says where it is woken while it sleeps; an empty token forgets the device',
    body: 'push-register-request',
    reply: 'push-registration',
    errors: ['forbidden', 'not_found'],
    idempotency: true,
    limit: WRITES,
  }),
  set_sleeping: route('POST /push/sleep', {
    auth: 'agent',
    summary: 'An agent says that it goes to sleep, or that it is awake again',
    body: 'sleep-request',
    reply: 'sleep-answer',
    errors: ['forbidden', 'not_found'],
    idempotency: true,
    limit: WRITES,
  }),
  agent_sleeping: route('GET /agents/:agent_id/sleeping', {
    auth: 'open',
    summary: 'Whether an agent sleeps; one that nobody has heard of is awake',
    params: { agent_id: 'agent-id' },
    reply: 'sleep-state',
    limit: READS,
  }),
  pending_messages: route('GET /agents/:agent_id/pending', {
    auth: 'agent',
    summary:
      'The messages that waited for the agent, oldest first; they are removed when this answer has been sent, or lent',
    params: { agent_id: 'agent-id' },
    query: 'pending-query',
    reply: 'pending-messages',
    errors: ['forbidden'],
    limit: WRITES,
  }),
  hold_message: route('POST /agents/:agent_id/pending', {
    auth: 'open',
    summary: 'Leaves a signed envelope for an agent that sleeps, whose device is then woken',
    params: { agent_id: 'agent-id' },
    body: 'pending-request',
    reply: 'pending-held',
    status: 202,
    errors: ['conflict', 'forbidden', 'payload_too_large', 'pending_full'],
    maxBody: MAX_BODY,
    limit: WRITES,
  }),
} as const;
