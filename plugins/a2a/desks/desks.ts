import type { Log, ReceivedEnvelope } from '../../../core/plugin.ts';
import type { Clock, DealView, LocalAgents, Random, Space } from '../../../core/services.ts';
import { seedIn } from '../cards/card-key.ts';
import type { A2aConfig } from '../config.ts';
import { ClientDesk } from './client-desk.ts';
import type { Desk } from './desk.ts';

/** Milliseconds after a desk could not read its inbox. */
const PAUSE = 5_000;
export const GUEST = 'guest';
export const HIRE = 'hire';

export function clientCaller(name: string): string {
  return `client.${name}`;
}

export interface DesksMeans {
  readonly agents: LocalAgents;
  readonly space: Space;
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

interface Followers {
  readonly deal: (caller: string, deal: DealView) => Promise<unknown>;
  readonly heard: (caller: string, envelope: ReceivedEnvelope) => Promise<void>;
}

/** The desks by caller: the owner's own, one for each client, and one for all guests. */
export class Desks {
  readonly #means: DesksMeans;
  readonly #desks = new Map<string, Desk>();

  constructor(means: DesksMeans, hire: Desk) {
    this.#means = means;
    this.#desks.set(HIRE, hire);
  }

  of(caller: string): Desk | undefined {
    return this.#desks.get(caller);
  }

  /** Adds an agent for each client, each with a key of its own, so that none sees or crowds out the deals of another. */
  async open({ clients, guests }: A2aConfig): Promise<void> {
    const { agents, space, random } = this.#means;
    const callers = [...clients.map(({ name }) => clientCaller(name)), ...(guests ? [GUEST] : [])];
    for (const caller of callers) {
      const seed = await seedIn(space, `desk ${caller}`, random);
      const agent = await agents.add({ signer: agents.signerOf(seed), name: `a2a ${caller}` });
      this.#desks.set(caller, new ClientDesk(agent));
    }
  }

  /** Tells of the deals and the letters of every desk, until the signal is aborted. */
  follow(followers: Followers): void {
    for (const [caller, desk] of this.#desks) {
      if (!(desk instanceof ClientDesk)) continue;
      desk.agent.deals.follow(async (deal) => void (await followers.deal(caller, deal)));
      void this.#attend(caller, desk, followers);
    }
  }

  async #attend(caller: string, { agent: { inbox } }: ClientDesk, { heard }: Followers): Promise<void> {
    const { clock, log, signal } = this.#means;
    while (!signal.aborted) {
      try {
        for await (const message of inbox.follow(signal, 0)) {
          await heard(caller, message);
          await inbox.acknowledge(message.cursor);
        }
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error, caller }, 'a desk waits for its inbox');
        await clock.sleep(PAUSE, signal).catch(() => {});
      }
    }
  }
}
