import type { Settings } from './internal-services.ts';
import type { Log } from './platform/log.ts';
import type { Health, Profile, Services, Token, Uses } from './plugin.ts';

/**
 * How one service of core is made. Providers are opened before any face is set up, after those they use, and closed
 * after all faces. `core/host/boot/boot-node.ts` takes them as values, so that the composition is made in one place by the caller.
 */
export interface Provider<T = any, U extends Uses = any> {
  readonly token: Token<T>;
  readonly uses?: U;
  /** At most 30 seconds. A throw stops the boot and names the token; write the way out into the message. */
  open(services: Services<U>, context: ProviderContext): T | PerPlugin<T> | Promise<T | PerPlugin<T>>;
}

export interface ProviderContext {
  readonly profile: Profile;
  readonly settings: Settings;
  /** Where plugins.json lies; what it names is looked for from here. */
  readonly folder: string;
  readonly log: Log;
  /** Aborted when the node begins to stop. */
  readonly signal: AbortSignal;
  /** Closes what was opened, at stop or when the boot fails; last deferred first, 5 seconds each. */
  defer(undo: () => unknown): void;
  /** A line for the boot report, such as what a store guarantees. */
  note(text: string): void;
  /**
   * Asked by `/ready` and `/health`; answers from memory. `/ready` waits for `look` first, a part of a second at most: it
   * finds out what nobody would notice before the next write or call. It is called once at a time and never rejects.
   */
  health(told: () => Health, look?: () => Promise<void>): void;
  /** The URL at which others reach the node (`api.publicUrl`, else its own); known once it listens. */
  url(): string;
}

/** The plugin that gets a service. */
export interface Asker {
  /** The plugin's name. */
  readonly name: string;
  /** Set for a plugin that does not come with this package. */
  readonly isForeign?: boolean;
  /** Whether the plugin holds the permission. */
  may(permission: string): boolean;
  /** Whether exactly this permission was granted, and not only one that includes it, such as `http:*`. */
  named(permission: string): boolean;
}

/** A service of which every plugin gets one of its own, which knows what the plugin may do. */
export class PerPlugin<T> {
  readonly of: (asker: Asker) => T;

  constructor(of: (asker: Asker) => T) {
    this.of = of;
  }
}

/** `provider(Ledger, { uses: { clock: Clock }, open: ({ clock }, { settings, defer }) => … })`. */
export function provider<T, const U extends Uses = Record<never, never>>(
  token: Token<T>,
  { uses, open }: { uses?: U; open: Provider<T, U>['open'] },
): Provider<T, U> {
  return { token, open, ...(uses && { uses }) };
}

/** A provider of what is open already, such as a clock under the caller's control. The caller closes it. */
export function value<T>(token: Token<T>, made: NoInfer<T>): Provider<T, Record<never, never>> {
  return { token, open: () => made };
}
