import { collection, counter } from '../../core/plugin.ts';

/** Which key the keys of hosted agents are encrypted with, and a text by which it is recognised. */
export interface Vault {
  readonly kind: 'file' | 'passphrase';
  readonly check_b64: string;
  readonly salt_b64?: string;
}

/** A hosted agent, with the hash of the token by which its client is known. Moments are Unix milliseconds. */
export interface Session {
  readonly agent_id: string;
  readonly name: string;
  /** SHA-256 in hex. */
  readonly token_hash: string;
  readonly sealed_b64: string;
  /** The address that it was registered from, of IPv6 the network; absent from older stores. */
  readonly network?: string;
  readonly created_at: number;
  readonly expires_at: number;
  /** Whether the token of its registration was ever shown here. */
  readonly used: boolean;
  /** Whether a key that was named as its successor finds no open deals; absent from older stores. */
  readonly keeps_deals?: boolean;
  /** It is not removed before, since its key holds USDC. */
  readonly kept_until?: number;
}

/** A prepaid account. Amounts are minor units of USDC in digits, since JSON has no bigint. */
export interface Account {
  readonly agent_id: string;
  readonly available: string;
  /** Reserved for messages that were not delivered yet. */
  readonly held: string;
  /** Lines of its statement so far. */
  readonly lines: number;
}

/** One line of a statement. */
export interface Line {
  readonly agent_id: string;
  readonly number: number;
  readonly at: number;
  readonly kind: 'credit' | 'debit' | 'fee';
  readonly amount: string;
  /** Available and held together after it. */
  readonly balance: string;
  readonly reference: string;
  readonly envelope_id?: string;
  readonly conversation_id?: string;
}

/** A fee that is reserved for one message, until it is known whether the message was delivered. */
export interface Hold {
  readonly id: string;
  readonly agent_id: string;
  readonly msg_type: string;
  readonly conversation_id: string;
  readonly fee: string;
  readonly state: 'open' | 'charged' | 'released';
  /** Absent until the message is known to be signed. */
  readonly envelope_id?: string;
  readonly created_at: number;
  /** When it is looked after next. */
  readonly due: number;
  readonly looks: number;
}

const text = { type: 'string' };
const moment = { type: 'integer', minimum: 0 };
const digits = { type: 'string', pattern: '^(0|[1-9][0-9]{0,30})$' };
const agent = { type: 'string', pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' };
const hex = (length: number) => ({ type: 'string', pattern: `^[0-9a-f]{${length}}$` });
const stored = (name: string, properties: object, optional: readonly string[] = []) => ({
  $id: `hosting/stored-${name}`,
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((member) => !optional.includes(member)),
  properties,
});

export const storedSchemas = [
  stored('vault', { kind: { enum: ['file', 'passphrase'] }, check_b64: text, salt_b64: text }, ['salt_b64']),
  stored(
    'session',
    {
      agent_id: agent,
      name: { type: 'string', maxLength: 64 },
      token_hash: hex(64),
      sealed_b64: text,
      network: { type: 'string', maxLength: 64 },
      created_at: moment,
      expires_at: moment,
      used: { type: 'boolean' },
      keeps_deals: { type: 'boolean' },
      kept_until: moment,
    },
    ['network', 'keeps_deals', 'kept_until'],
  ),
  stored('account', { agent_id: agent, available: digits, held: digits, lines: moment }),
  stored(
    'line',
    {
      agent_id: agent,
      number: moment,
      at: moment,
      kind: { enum: ['credit', 'debit', 'fee'] },
      amount: digits,
      balance: digits,
      reference: { type: 'string', maxLength: 128 },
      envelope_id: hex(64),
      conversation_id: hex(32),
    },
    ['envelope_id', 'conversation_id'],
  ),
  stored(
    'hold',
    {
      id: text,
      agent_id: agent,
      msg_type: text,
      conversation_id: hex(32),
      fee: digits,
      state: { enum: ['open', 'charged', 'released'] },
      envelope_id: hex(64),
      created_at: moment,
      due: moment,
      looks: moment,
    },
    ['envelope_id'],
  ),
];

const DAY = 86_400_000;
/** An agent whose token has ended goes so much later, so that its client may still ask for another one. */
const KEPT_AFTER_END = 30 * DAY;
/** One whose client never came with its token goes so long after its registration: anybody may register. */
const KEPT_UNUSED = 7 * DAY;

/** When an agent that nobody asks for any more is removed. */
export function endOf({ used, created_at, expires_at, kept_until = 0 }: Session): number {
  return Math.max(kept_until, used ? expires_at + KEPT_AFTER_END : Math.min(created_at + KEPT_UNUSED, expires_at));
}

export const vaults = collection<Vault>('vault', { schema: 'hosting/stored-vault' });

/** Hosted agents by id, found by their token too. */
export const sessions = collection<Session, 'token' | 'end'>('sessions', {
  schema: 'hosting/stored-session',
  indexes: { token: ({ token_hash }) => [token_hash], end: (session) => [endOf(session), session.agent_id] },
});

export const accounts = collection<Account>('accounts', { schema: 'hosting/stored-account' });

/** Statements, each with its newest line first. */
export const lines = collection<Line, 'newest'>('lines', {
  schema: 'hosting/stored-line',
  indexes: { newest: ({ agent_id, number }) => [agent_id, -number] },
});

/** Holds by id; those that have ended are known for two days, so that a call that is repeated finds them. */
export const holds = collection<Hold, 'due' | 'agent' | 'envelope'>('holds', {
  schema: 'hosting/stored-hold',
  indexes: {
    due: ({ state, due, id }) => (state === 'open' ? [due, id] : undefined),
    agent: ({ state, agent_id, id }) => (state === 'open' ? [agent_id, id] : undefined),
    envelope: ({ envelope_id }) => (envelope_id === undefined ? undefined : [envelope_id]),
  },
});
export const HOLD_KNOWN_FOR = 2 * DAY;

/** The host's side of the accounts: `credited` was paid in, `debited` paid back, `fees` earned. */
export const house = counter('house');

export function lineRef(agent: string, number: number) {
  return lines.ref(`${agent}/${number}`);
}
