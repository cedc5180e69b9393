export type Profile = 'node' | 'aggregator';

/** How a plugin or a service is. */
export interface Health {
  readonly state: 'ok' | 'degraded';
  /** Why it is degraded, or how it is well, for operators. Never secrets. */
  readonly detail?: string;
  /** The operator's remedy, or a note that the fault mends itself. */
  readonly remedy?: string;
  /** Nothing can be done without it: `/ready` answers 503 meanwhile. */
  readonly unready?: true;
}

/** The state that a node reports of itself. */
export interface NodeState {
  readonly profile: Profile;
  readonly version: string;
  readonly phase: 'starting' | 'ready' | 'stopping';
  readonly plugins: Readonly<
    Record<string, { readonly state: 'ok' | 'degraded' | 'out'; readonly detail?: string; readonly remedy?: string }>
  >;
  /** The health of the services that the node depends on, such as the ledger. */
  readonly services: Readonly<Record<string, Health>>;
}
