/// <reference types="node" preserve="true" />
/**
 * The plugin contract: the one module a plugin imports, with `services.ts` for what core offers.
 * A plugin is a value. It says what it adds to a node and what it adds to an aggregator, each as a *face*. A face declares (services it uses
 * and provides, routes, streams, sockets, guards) and binds: `setup` gets the services and returns functions under the same keys.
 *
 *     export default definePlugin({
 *       name: 'weather',
 *       api: '2.0',
 *       config: typed<{ city: string }>({ type: 'object', required: ['city'], properties: { city: { type: 'string' } } }),
 *       node: {
 *         uses: { clock: Clock },
 *         routes: { now: route('GET /weather', { auth: 'open', reply: typed<{ city: string; at: number }>({}) }) },
 *         setup: ({ clock }, { config }) => ({ routes: { now: () => ({ city: config.city, at: clock.now() }) } }),
 *       },
 *     });
 */
import type { TypedSchema } from './contracts/typed.ts';
import type { Admit, GuardSpec } from './http/guard.ts';
import type { BoundKeys, Endpoint, Handler } from './http/route.ts';
import type {
  EnvelopeHandler,
  InboundGate,
  IndexPart,
  LedgerEventName,
  LedgerEventPart,
  ReceivePart,
  SendPart,
} from './messaging/extension-points.ts';
import type { Job } from './platform/job.ts';
import type { Log } from './platform/log.ts';
import type { Health, Profile } from './platform/node-state.ts';
import type { Permission } from './platform/permissions.ts';
import type { PluginFlag } from './platform/plugin-flag.ts';
import type { Provides, Services, Token, Uses } from './platform/token.ts';
import type { MessageName } from './protocol/envelopes/message-types.ts';
import type { Space } from './storage/space.ts';

export type { ErrorCode, FieldProblem } from './contracts/errors.ts';
export { invalidField, isMeshError, MeshError, renamedFields } from './contracts/errors.ts';
export * from './contracts/typed.ts';
export { CONSUMER_TOO_SLOW, joinFrames, type SharedFrame, StreamEnd, sharedFrame } from './http/frame.ts';
export type { Admission, Admit, GuardSpec, SecurityScheme } from './http/guard.ts';
export * from './http/route.ts';
export { Tail } from './http/tail.ts';
export { type AskedAgain, putOff, withPassedOver } from './ledger/passed-over.ts';
export type {
  EnvelopeHandler,
  GateQuestion,
  GateVerdict,
  InboundGate,
  IndexPart,
  LedgerEvent,
  LedgerEventName,
  LedgerEventPart,
  PublicRecord,
  ReceivePart,
  Refusal,
  SendingEnvelope,
  SendPart,
  SentEnvelope,
  TransactionPart,
} from './messaging/extension-points.ts';
export type { ReceivedEnvelope } from './messaging/received-envelope.ts';
export { networkOf } from './platform/addresses.ts';
export { BoundedMap } from './platform/bounded-map.ts';
export { deadlinePause } from './platform/deadline-pause.ts';
export type { Log } from './platform/log.ts';
export type { Health, Profile } from './platform/node-state.ts';
export { OneByOne } from './platform/one-by-one.ts';
export { PERMISSIONS, type Permission } from './platform/permissions.ts';
export type { PluginFlag } from './platform/plugin-flag.ts';
export * as spendingWindow from './platform/spending-window.ts';
export {
  type Optional,
  optional,
  type Provides,
  type Services,
  type Token,
  token,
  type Uses,
} from './platform/token.ts';
export { amountJson, formatUsdc, MAX_USDC, parseUsdc } from './platform/usdc.ts';
export type { MessageName } from './protocol/envelopes/message-types.ts';
export type { Payloads } from './protocol/envelopes/payloads/payloads.ts';
export { normaliseAgentId } from './protocol/identity/ids.ts';
export {
  type AppendLog,
  appendLog,
  type Collection,
  type Counter,
  collection,
  counter,
  expiring,
  type Queue,
  queue,
  type Ranking,
  ranking,
} from './storage/declarations.ts';
export { Alarm, type Job, type StoreJob, storeJob } from './storage/store-job.ts';

/** The version of this contract. A plugin written for the same major and no newer minor is loaded. */
export const PLUGIN_API = '2.2';

export type Endpoints = Readonly<Record<string, Endpoint>>;
export type Guards = Readonly<Record<string, GuardSpec>>;
export type Handled = Readonly<Partial<Record<MessageName, true>>>;
export type Gates = Readonly<Record<string, true | readonly MessageName[]>>;
export type Followed = Readonly<Partial<Record<LedgerEventName, true>>>;

/** A face of which it is not known what it declares. */
export type AnyFace<C = any> = FaceSpec<C, any, any, any, any, any, any, any, any, any>;

export interface Plugin<C = any, N extends AnyFace<C> = AnyFace<C>, A extends AnyFace<C> = AnyFace<C>> {
  /** Kebab-case, unique in a node: names its storage space, its log lines, its tag in the API document. */
  readonly name: string;
  /** The version of this contract it was written for, such as `2.0`. */
  readonly api: `${number}.${number}`;
  /** One sentence on what it adds, for readers of the API document. */
  readonly summary?: string;
  /**
   * Permissions that it needs beyond its own space and folder. A built-in plugin holds those that it declares; for any other plugin the operator
   * grants each by its line in plugins.json (`"$grant": ["messages:send"]`), or the node does not start.
   */
  readonly permissions?: readonly Permission[];
  /** Shape of its object in plugins.json; defaults are filled in. Without it, only an empty object is accepted. */
  readonly config?: TypedSchema<C>;
  /** Schemas of its own that others refer to; each `$id` starts with the plugin's name and a slash. */
  readonly schemas?: readonly object[];
  /** Error codes of its own: status and the sentence shown to clients. */
  readonly errors?: Readonly<Record<string, readonly [status: number, sentence: string]>>;
  /**
   * Flags of `mesh start` by the member of its configuration that each sets; `enabled` switches the plugin itself. The
   * variable of `--skill-workspace` is `NODE_SKILL_WORKSPACE`. A flag wins over a variable, a variable over plugins.json.
   */
  readonly flags?: Readonly<Record<string, PluginFlag>>;
  /** Its part on a node. Absent: it cannot be loaded there. */
  readonly node?: N;
  /** Its part on an aggregator. */
  readonly aggregator?: A;
}

export interface FaceSpec<
  C,
  U extends Uses,
  P extends Provides,
  R extends Endpoints,
  G extends Guards,
  E extends Handled = None,
  GI extends Gates = None,
  RP extends Handled = None,
  IP extends Handled = None,
  LP extends Followed = None,
> {
  /** Services it needs; faces are set up after those that provide what they use. */
  readonly uses?: U;
  /** Services it offers to other faces. */
  readonly provides?: P;
  /** Its endpoints. The key is the operation's name in the API document. */
  readonly routes?: R;
  /** Guards it contributes, usable as `auth` of any route. */
  readonly guards?: G;
  /**
   * The message types whose envelopes it handles. What two agents say to each other in private (MESSAGE and the steps of a
   * deal up to the delivery) needs the permission `messages:read` on a node, and an aggregator never reads it.
   */
  readonly envelopes?: E;
  /**
   * Gates of a node that are asked before an envelope is taken, by a name of their own, each with the message types that it is asked about,
   * or `true` for all. Needs the permission `messages:gate`. They are asked in boot order, after core's own, until one is closed.
   */
  readonly inboundGates?: GI;
  /** The message types of a node that it journals in its own space, in one transaction with core. Needs `messages:gate`, for private types `messages:read`. */
  readonly receives?: RP;
  /** The message types of a node that it notes, or refuses, in the transaction that signs them; needs the permissions of `receives`. */
  readonly sends?: Handled;
  /** The message types whose place in the public record it notes on an aggregator, in the transaction that records them. */
  readonly indexes?: IP;
  /**
   * The events of the settlement program that it notes, each once and in order, in the transaction that takes it: on an aggregator those of
   * everybody, on a node those that it reads. `gap` is a part of the history that cannot be had any more.
   */
  readonly ledgerEvents?: LP;
  /**
   * Builds the face. Runs once, at most 10 seconds, before the node listens: open what you need, defer its closing,
   * but do not call other machines (that is for `ready` and jobs). A throw stops the boot, naming the plugin.
   */
  setup(
    services: Services<U>,
    context: Context<C>,
  ): Face<P, R, G, E, GI, RP, IP, LP> | Promise<Face<P, R, G, E, GI, RP, IP, LP>>;
}

export interface Context<C = any> {
  readonly name: string;
  readonly profile: Profile;
  /** Its part of plugins.json, validated, secrets resolved. Never log it whole. */
  readonly config: C;
  /** Every line carries the plugin's name. */
  readonly log: Log;
  /** Aborted when the node begins to stop. */
  readonly signal: AbortSignal;
  /** Says something about how it came up to whoever starts the node: a line of the boot report. */
  note(text: string): void;
  /** The URL at which others reach the node (`api.publicUrl`, else its own); known from `ready` on. */
  url(): string;
  /** Its own part of the store, named after the plugin; declarations of the same name elsewhere are others. */
  readonly space: Space;
  /** A folder of its own under the data directory, made at first use (0700). */
  folder(): Promise<string>;
  /** Runs `undo` at stop, or when setup fails; last deferred runs first, each with a deadline of 5 seconds. */
  defer(undo: () => unknown): void;
}

/** The result of `setup`: functions for what was declared, and functions that the node calls. */
export type Face<
  P extends Provides = any,
  R extends Endpoints = any,
  G extends Guards = any,
  E extends Handled = any,
  GI extends Gates = any,
  RP extends Handled = any,
  IP extends Handled = any,
  LP extends Followed = any,
> = Behaviour &
  Bound<'provides', { readonly [K in keyof P]: P[K] extends Token<infer T> ? T : never }> &
  Bound<'routes', { readonly [K in BoundKeys<R>]: Handler<R[K]> }> &
  Bound<'guards', { readonly [K in keyof G]: Admit }> &
  Bound<'envelopes', { readonly [K in keyof E]: EnvelopeHandler<K & MessageName> }> &
  Bound<'inboundGates', { readonly [K in keyof GI]: InboundGate }> &
  Bound<'receives', { readonly [K in keyof RP]: ReceivePart<K & MessageName> }> &
  Bound<'indexes', { readonly [K in keyof IP]: IndexPart<K & MessageName> }> &
  Bound<'ledgerEvents', { readonly [K in keyof LP]: LedgerEventPart<K & LedgerEventName> }>;

type None = Record<never, never>;

/** Members that were declared must be bound; when it is not known what was declared, they may be. */
type Bound<K extends string, T> = keyof T extends never
  ? { readonly [N in K]?: T }
  : string extends keyof T
    ? { readonly [N in K]?: T }
    : { readonly [N in K]: T };

interface Behaviour {
  readonly sends?: { readonly [N in MessageName]?: SendPart<N> };
  readonly jobs?: readonly Job[];
  /** By route: runs for an admitted caller before the request is looked at. A `MeshError` tells why none could be served now. */
  readonly preconditions?: Readonly<Record<string, () => void | Promise<void>>>;
  /** Asked by `/ready` and `/health`; answers from memory. */
  readonly health?: () => Health;
  /** Runs once the node listens. A throw or 30 seconds stop the boot. */
  readonly ready?: () => void | Promise<void>;
  /** Runs at stop before what was deferred, at most 5 seconds. */
  readonly stop?: () => void | Promise<void>;
}

/** Returns the plugin unchanged; its purpose is inference. */
export function definePlugin<
  C = None,
  const NU extends Uses = None,
  const NP extends Provides = None,
  const NR extends Endpoints = None,
  const NG extends Guards = None,
  const AU extends Uses = None,
  const AP extends Provides = None,
  const AR extends Endpoints = None,
  const AG extends Guards = None,
  const NE extends Handled = None,
  const AE extends Handled = None,
  const NGI extends Gates = None,
  const NRP extends Handled = None,
  const NLP extends Followed = None,
  const AIP extends Handled = None,
  const ALP extends Followed = None,
>(
  plugin: Plugin<
    C,
    FaceSpec<C, NU, NP, NR, NG, NE, NGI, NRP, None, NLP>,
    FaceSpec<C, AU, AP, AR, AG, AE, None, None, AIP, ALP>
  >,
): typeof plugin {
  return plugin;
}

/** The same for a face in a file of its own: annotate `setup`'s second parameter as `Context<YourConfig>`. */
export function defineFace<
  C = any,
  const U extends Uses = None,
  const P extends Provides = None,
  const R extends Endpoints = None,
  const G extends Guards = None,
  const E extends Handled = None,
  const GI extends Gates = None,
  const RP extends Handled = None,
  const IP extends Handled = None,
  const LP extends Followed = None,
>(face: FaceSpec<C, U, P, R, G, E, GI, RP, IP, LP>): typeof face {
  return face;
}
