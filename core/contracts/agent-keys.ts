/**
 * For what a key is asked: `binding` binds a deal or moves money, so the answer is at most a minute old; `usual` is an act of the owner,
 * for which it may be ten minutes old, and a day while the registry cannot be asked; `read` is a look by anybody, and asks only about
 * assets that were heard of before.
 */
export type KeyUse = 'read' | 'usual' | 'binding';

/** `asset`: the id is an asset for which the key signs. `gone`: it was one, and nobody signs for it. `key`: it is no asset, so it is a key itself. */
export type KeyAnswer =
  | { readonly status: 'asset'; readonly key: string }
  | { readonly status: 'gone' }
  | { readonly status: 'key' }
  | { readonly status: 'unknown'; readonly reason: string };

/** The keys of agents whose ids are assets of a registry; a plugin that reads a registry offers it, and core asks before it acts. */
export interface AgentKeys {
  /** The key behind an id in base58. Never rejects. */
  keyOf(id: string, use: KeyUse): Promise<KeyAnswer>;
}
