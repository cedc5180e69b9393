import type { Principal } from './route.ts';

/** A guard as data; the function that admits is bound by `setup` under the same key. */
export interface GuardSpec {
  readonly summary: string;
  /** A security scheme object of OpenAPI 3.1. */
  readonly scheme: SecurityScheme;
  /**
   * Also accept the credential as `?token=`, for WebSocket clients that cannot set headers. Off unless said aloud.
   * The parameter is taken out of the query before validation and is never logged.
   */
  readonly tokenInQuery?: boolean;
}

export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string; readonly description?: string }
  | {
      readonly type: 'apiKey';
      readonly in: 'header' | 'query';
      readonly name: string;
      readonly description?: string;
    };

/** The sentence for a caller whom the guard does not admit: which credential the call needs, and whether one came. */
export function unadmitted({ scheme, summary }: GuardSpec, token: string | undefined): string {
  const named =
    scheme.type === 'http' ? 'The header Authorization with a Bearer value' : `The ${scheme.in} ${scheme.name}`;
  const fault =
    scheme.type === 'http' && token !== undefined
      ? 'The Bearer value does not hold'
      : `${named} is missing${scheme.type === 'http' ? '' : ' or does not hold'}`;
  return `${fault}. This call needs: ${summary.replace(/\.$/, '')}.`;
}

/** The part of a request that a guard sees. The body has not been read yet. */
export interface Admission {
  readonly method: string;
  /** Path and query exactly as sent. */
  readonly target: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** Lower-case names; repeated headers joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The Bearer token, from the header, the subprotocol after `mesh.bearer`, or `?token=` where the guard takes it. */
  readonly token: string | undefined;
  readonly ip: string;
}

/** Decides who calls. `null` is answered with 401; a `MeshError` (such as `forbidden`) as it is. Must not have effects. */
export type Admit = (request: Admission) => Principal | null | Promise<Principal | null>;

export const ANYONE: Principal = { kind: 'anyone', id: '' };

/** The guard `open`, known by identity: nothing has to be made ready for it. */
export const admitAnyone: Admit = () => ANYONE;
