export type Profile = 'node' | 'aggregator';

/** How a plugin or a service is. */
export interface Health {
  readonly state: 'ok' | 'degraded';
  /** Why it is degraded, for operators. Never secrets. */
  readonly detail?: string;
  /** What to do about it, or that it mends itself. */
  readonly remedy?: string;
  /** Nothing can be done without it: `/ready` answers 503 meanwhile. */
  readonly unready?: true;
}

/** What a node says of itself. */
export interface NodeState {
  readonly profile: Profile;
  readonly version: string;
  readonly phase: 'starting' | 'ready' | 'stopping';
  readonly plugins: Readonly<
    Record<string, { readonly state: 'ok' | 'degraded' | 'out'; readonly detail?: string; readonly remedy?: string }>
  >;
  /** What the node stands on and tells how it is, such as the ledger. */
  readonly services: Readonly<Record<string, Health>>;
}
