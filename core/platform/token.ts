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

/** A service that may be missing: the face gets `undefined` when nobody provides it. */
export interface Optional<T> {
  readonly optional: Token<T>;
}

export function optional<T>(wanted: Token<T>): Optional<T> {
  return { optional: wanted };
}

export type Uses = Readonly<Record<string, Token<any> | Optional<any>>>;
export type Provides = Readonly<Record<string, Token<any>>>;

export type Services<U> = {
  readonly [K in keyof U]: U[K] extends Optional<infer T> ? T | undefined : U[K] extends Token<infer T> ? T : never;
};
