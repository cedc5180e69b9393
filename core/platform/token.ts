/** Names a service and carries its type. */
export interface Token<T> {
  readonly key: symbol;
  readonly name: string;
  readonly type?: T;
}

/**
 * `export const Weather = token<Weather>('acme/weather')`: a token has the name of its interface. Two copies of this
 * package make the same token for the same name.
 */
export function token<T>(name: string): Token<T> {
  return { key: Symbol.for(`agent-mesh/${name}`), name };
}

/** A service of core alone. Its symbol is in no registry, so no name leads a plugin to it. */
export function internalToken<T>(name: string): Token<T> {
  return { key: Symbol(name), name };
}

const needs = new Map<symbol, readonly string[]>();

/**
 * A service of core that is offered to plugins which hold one of the permissions; `http:` stands for any host. The
 * permissions are kept by the token's symbol, so a plugin that makes a token of the same name needs the same ones.
 */
export function guardedToken<T>(name: string, ...permissions: readonly [string, ...string[]]): Token<T> {
  const made = token<T>(name);
  needs.set(made.key, permissions);
  return made;
}

/** The permissions of which a plugin needs one to use the service; none for services that are open to all. */
export function needsOf({ key }: Token<unknown>): readonly string[] {
  return needs.get(key) ?? [];
}

/** A service that may be missing: the face gets `undefined` when nobody provides it. */
export interface Optional<T> {
  readonly optional: Token<T>;
}

export function optional<T>(wanted: Token<T>): Optional<T> {
  return { optional: wanted };
}

export function tokenOf<T>(used: Token<T> | Optional<T>): Token<T> {
  return 'optional' in used ? used.optional : used;
}

export type Uses = Readonly<Record<string, Token<any> | Optional<any>>>;
export type Provides = Readonly<Record<string, Token<any>>>;

export type Services<U> = {
  readonly [K in keyof U]: U[K] extends Optional<infer T> ? T | undefined : U[K] extends Token<infer T> ? T : never;
};
