import { definePlugin, type Plugin } from '../../../core/plugin.ts';
import { Clock } from '../../../core/services.ts';
import type { VirtualMember } from './mesh.ts';

/** Two of those who hear every BEACON: nobody hears its own. */
const LISTENERS: ReadonlySet<string> = new Set(['agent-2', 'agent-3']);

/** When two agents of a mesh heard the BEACONs of each other and of everybody else. */
export class BeaconTimes {
  readonly #plugin: Plugin = definePlugin({
    name: 'listener',
    api: '2.0',
    node: {
      uses: { clock: Clock },
      envelopes: { BEACON: true },
      setup: ({ clock }) => ({
        envelopes: {
          BEACON: ({ sender, id }) => {
            const times = this.#times.get(sender) ?? new Map<string, number>();
            this.#times.set(sender, times);
            if (!times.has(id)) times.set(id, clock.now());
          },
        },
      }),
    },
  });
  readonly #times = new Map<string, Map<string, number>>();

  /** What this member needs for it. */
  of({ name }: VirtualMember): Plugin[] {
    return LISTENERS.has(name) ? [this.#plugin] : [];
  }

  /** How many BEACONs of the agent arrived. */
  count(agent: string): number {
    return this.#times.get(agent)?.size ?? 0;
  }

  /** The longest time within this span in which none arrived. */
  longestSilence(agent: string, start: number, end: number): number {
    const times = [start, ...(this.#times.get(agent)?.values() ?? []), end];
    return Math.max(...times.slice(1).map((time, index) => time - times[index]!));
  }
}
