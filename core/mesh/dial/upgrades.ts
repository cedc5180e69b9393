import type { Clock, Random } from '../../platform/clock.ts';
import type { MeshLimits } from '../limits.ts';
import type { Session } from '../session/session.ts';

export interface UpgradesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: MeshLimits;
  /** Dials the peer; the session that comes of it takes the place of the relayed one by itself. */
  dial(url: string, key: Uint8Array): Promise<unknown>;
  /** The peer's session of now. */
  sessionOf(key: Uint8Array): Session | undefined;
  failed(error: unknown): void;
}

interface Upgrade {
  /** Where the peer says that it can be dialled: what it said first, and what it said last. */
  urls: string[];
  tries: number;
  busy: boolean;
  cancel: () => void;
}

/** Tries to replace relayed sessions by direct ones, in the background, a few times with growing pauses. */
export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #upgrades = new Map<Session, Upgrade>();
  #underWay = 0;

  constructor(options: UpgradesOptions) {
    this.#options = options;
  }

  /** The peer of a relayed session says where it can be dialled. */
  invited(session: Session, url: string): void {
    if (!session.relayed || !session.open) return;
    const upgrade = this.#upgrades.get(session) ?? { urls: [], tries: 0, busy: false, cancel() {} };
    this.#upgrades.set(session, upgrade);
    if (upgrade.urls.includes(url)) return;
    upgrade.urls = [...upgrade.urls.slice(0, 1), url];
    if (!upgrade.busy) void this.#try(session, upgrade);
  }

  /** Tries anew to replace the sessions that are relayed still: one side may be in another network. */
  again(): void {
    for (const [session, upgrade] of this.#upgrades) {
      upgrade.tries = 0;
      if (!upgrade.busy) void this.#try(session, upgrade);
    }
  }

  ended(session: Session): void {
    this.#upgrades.get(session)?.cancel();
    this.#upgrades.delete(session);
  }

  async #try(session: Session, upgrade: Upgrade): Promise<void> {
    const { clock, random, limits, dial, failed } = this.#options;
    upgrade.cancel();
    if (!this.#isWanted(session) || upgrade.tries >= limits.upgradeTries) return;
    if (this.#underWay < limits.dials) {
      const url = upgrade.urls[upgrade.tries % upgrade.urls.length]!;
      upgrade.tries += 1;
      upgrade.busy = true;
      this.#underWay += 1;
      try {
        await dial(url, session.peer!.key);
        return;
      } catch (error) {
        failed(error);
      } finally {
        upgrade.busy = false;
        this.#underWay -= 1;
      }
    }
    if (!this.#isWanted(session)) return;
    const pause = limits.upgradeMs * 2 ** Math.max(0, upgrade.tries - 1) * (0.5 + random.fraction());
    upgrade.cancel = clock.after(pause, () => void this.#try(session, upgrade));
  }

  #isWanted(session: Session): boolean {
    const current = this.#options.sessionOf(session.peer!.key);
    return this.#upgrades.has(session) && current === session && session.open;
  }
}
