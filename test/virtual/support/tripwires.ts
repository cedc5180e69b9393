import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Files that may ask the machine: the clock of production is not used here, and what Node's own parts do is theirs. */
const OURS = /\/(core|adapters|plugins)\//;

/**
 * Notes whoever asks the machine for time, timers, randomness or threads until `remove`. Calls from Node's own parts and
 * from packages count when code of this project made them.
 */
export function tripwires(): { readonly tripped: ReadonlySet<string>; remove(): void } {
  const tripped = new Set<string>();
  const undo: (() => void)[] = [];

  function wire(target: object, name: string, what: string, isMeant: (args: unknown[]) => boolean = () => true): void {
    const bag = target as Record<string, unknown>;
    const real = bag[name] as (...args: unknown[]) => unknown;
    const watched = function (this: unknown, ...args: unknown[]): unknown {
      const caller = isMeant(args) ? nearestOwn() : undefined;
      if (caller) tripped.add(`${what} by ${caller}`);
      return new.target ? Reflect.construct(real, args, new.target) : Reflect.apply(real, this, args);
    };
    bag[name] = Object.assign(watched, real);
    (watched as { prototype?: unknown }).prototype = real.prototype;
    undo.push(() => {
      bag[name] = real;
    });
  }

  wire(Date, 'now', 'Date.now');
  wire(Math, 'random', 'Math.random');
  wire(performance, 'now', 'performance.now');
  for (const timer of ['setTimeout', 'setInterval']) wire(globalThis, timer, timer);
  for (const source of ['randomBytes', 'randomFillSync', 'randomUUID', 'randomInt']) wire(crypto, source, source);
  wire(globalThis.crypto, 'randomUUID', 'crypto.randomUUID');
  wire(globalThis.crypto, 'getRandomValues', 'crypto.getRandomValues');
  for (const call of ['sign', 'verify'])
    wire(crypto, call, `${call} on a thread`, (args) => typeof args.at(-1) === 'function');
  wire(AbortSignal, 'timeout', 'AbortSignal.timeout');
  syncBuiltinESMExports();
  return {
    tripped,
    remove() {
      for (const restore of undo) restore();
      syncBuiltinESMExports();
    },
  };
}

/** The line of ours that called, unless the call came from a package or Node by itself. */
function nearestOwn(): string | undefined {
  const lines = new Error().stack!.split('\n').slice(3);
  const line = lines.find((each) => OURS.test(each) && !each.includes('node_modules'));
  return line
    ?.trim()
    .replace(/^at /, '')
    .replace(/file:\/\/\S*?\/(core|adapters|plugins)\//, '$1/');
}
