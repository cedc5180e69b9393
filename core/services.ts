/// <reference types="node" preserve="true" />
/**
 * What core offers to faces: interfaces and their tokens. A token has the name of its interface, so
 * `uses: { clock: Clock }` gives a `clock: Clock`.
 */

import type { Contracts as ContractsPort } from './contracts/contracts.ts';
import type { Settings as SettingsValue } from './host/config/configuration.ts';
import type { IdempotencyStore as IdempotencyStorePort } from './http/idempotency.ts';
import type { HttpNetwork as HttpNetworkPort } from './http/network.ts';
import type { Ledger as LedgerPort } from './ledger/ledger.ts';
import type { Clock as ClockPort, Random as RandomPort } from './platform/clock.ts';
import type { Resolver as ResolverPort } from './platform/resolver.ts';
import { type Profile, token } from './plugin.ts';
import type { Space as SpacePort } from './storage/space.ts';
import type { Store as StorePort } from './storage/store.ts';

export type Clock = ClockPort;
export const Clock = token<Clock>('clock');

export type Random = RandomPort;
export const Random = token<Random>('random');

/** Host names and their addresses. */
export type Resolver = ResolverPort;
export const Resolver = token<Resolver>('resolver');

/** Where HTTP calls go and come from: the machine's network unless the caller of `bootNode` gave another. */
export type HttpNetwork = HttpNetworkPort;
export const HttpNetwork = token<HttpNetwork>('http-network');

export type Ledger = LedgerPort;
export const Ledger = token<Ledger>('ledger');

/** One owner's part of the store. */
export type Space = SpacePort;
/** The store of this process. Faces use `context.space`, which is theirs alone. */
export type Store = StorePort;
export const Store = token<Store>('store');

export type Contracts = ContractsPort;
export const Contracts = token<Contracts>('contracts');

/** plugins.json as it is in force. Holds secrets: for core's own parts, never for log lines. */
export type Settings = SettingsValue;
export const Settings = token<Settings>('settings');

/**
 * Where a plugin that can run the acceptance check of a deal says what it found, from its handler of DELIVER. A delivery
 * that does not fit is disputed by its requester's node, at the lowest offer that the terms allow.
 */
export interface DeliveryChecks {
  /** Rejects with `not_found` when the node has no such deal. */
  found(conversationId: string, deliveryId: string, fits: boolean): Promise<void>;
}
export const DeliveryChecks = token<DeliveryChecks>('delivery-checks');

/** The handlers of envelopes that all faces declared, in boot order; whoever receives envelopes calls `deliver`. */
export interface EnvelopeHandlers {
  /** Message types somebody handles; complete once the node is ready. */
  types(): readonly string[];
  /** Runs every handler of a type, one after the other. Never rejects: what they throw is logged and counted. */
  deliver(type: string, envelope: unknown): Promise<void>;
}
export const EnvelopeHandlers = token<EnvelopeHandlers>('envelope-handlers');

/** Where answers to idempotent calls are kept: in the node's store unless another port is given. */
export type IdempotencyStore = IdempotencyStorePort;
export const IdempotencyStore = token<IdempotencyStore>('idempotency-store');

/** What a node says about itself; core serves it at `/health`, `/ready`, `/metrics`, `/openapi.json`, `/asyncapi.json` and `/docs`. */
export interface Operations {
  /** From memory. */
  state(): NodeState;
  /** Has the services look at what they stand on, for less than a second in all; `state` tells what they found. */
  look(): Promise<void>;
  /** Prometheus text. */
  metrics(): Promise<{ contentType: string; text: string }>;
  /** The OpenAPI document of what this node serves. */
  apiDocument(): object;
  /** The AsyncAPI document of its WebSockets. */
  streamDocument(): object;
}
export const Operations = token<Operations>('operations');

export interface NodeState {
  readonly profile: Profile;
  readonly version: string;
  readonly phase: 'starting' | 'ready' | 'stopping';
  readonly plugins: Readonly<
    Record<string, { readonly state: 'ok' | 'degraded' | 'out'; readonly detail?: string; readonly remedy?: string }>
  >;
  /** What the node stands on and tells how it is, such as the ledger. */
  readonly services: Readonly<
    Record<
      string,
      {
        readonly state: 'ok' | 'degraded';
        readonly detail?: string;
        readonly remedy?: string;
        readonly unready?: true;
      }
    >
  >;
}

export type Labels = Readonly<Record<string, string>>;
/** Adds `by` (1 unless given) to the series with these labels. */
export type Count = (labels?: Labels, by?: number) => void;

/** Counters of this node, shown at `/metrics`. Label values must come from a small fixed set, never from callers. */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Count;
  /** A value read when it is asked for. */
  gauge(name: string, help: string, read: () => number): void;
  /** One value for each of a small fixed set of names, under one label. */
  gauges(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void;
  /** Durations in seconds. */
  histogram(name: string, help: string, labels?: readonly string[]): (seconds: number, labels?: Labels) => void;
}
export const Metrics = token<Metrics>('metrics');
