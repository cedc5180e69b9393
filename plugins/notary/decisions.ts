import { type Log, MeshError } from '../../core/plugin.ts';
import type { Clock, EscrowAccount, EscrowAccounts, Judging, Space } from '../../core/services.ts';
import { cases, idOf, type NotaryCase, type Sighting } from './case-records.ts';
import { type Asked, caseAgain, caseOf, changeCase } from './case-store.ts';
import { endingOf } from './ending.ts';
import { Pauses } from './pauses.ts';

export interface DecisionsOptions {
  readonly space: Space;
  readonly escrows: EscrowAccounts;
  readonly judging: Judging;
  readonly self: string;
  readonly clock: Clock;
  readonly log: Log;
}

const PAGE = 100;
/** Cases looked at in one run; the next run goes on behind them. Anybody can open a case. */
const PAGES = 10;
/** Half and three quarters of the time of a contest have passed. */
const REMINDERS = ['decide_half', 'decide_three_quarters'] as const;

/**
 * The escrows of this notary's cases, by their accounts. When one is contested its verdict is carried to the ledger, or
 * what its agent decides instead. An account that a read does not show ends nothing: a later slot and an end in its
 * history do.
 */
export class Decisions {
  readonly #options: DecisionsOptions;
  /** Decisions that did not reach the ledger: when to try again. */
  readonly #waiting = new Pauses();
  /** Ends that no history has told yet; a contest does not wait for them. */
  readonly #lookingBack = new Pauses();
  #behind: { readonly key: string; readonly id: string } | undefined;

  constructor(options: DecisionsOptions) {
    this.#options = options;
  }

  /** The agent decides a contested escrow; repeating it gives the same decision. */
  async decide(asked: Asked, forProvider: boolean, signal: AbortSignal): Promise<NotaryCase> {
    const { space, escrows, judging } = this.#options;
    const found = await caseOf(space, asked);
    const { decision } = found;
    if (decision ? decision.for_provider !== forProvider : await judging.isDecided(found, !forProvider))
      throw new MeshError('conflict', 'You have decided this deal otherwise; it stands.');
    if (decision?.signature === undefined) {
      // An escrow that this decision has ended shows nothing to decide any more.
      if (!(await judging.isDecided(found, forProvider))) {
        const { value } = await escrows.get([found], found.ledger?.seen_slot);
        const problem = this.#problem(value[0]);
        if (problem) throw problem;
      }
      await this.#decide(found, forProvider, signal);
    }
    return caseAgain(space, found);
  }

  /** Looks at the escrows of cases that have not ended; gives when to look again, and Infinity while there are none. */
  async run(signal: AbortSignal): Promise<number> {
    const { space, escrows } = this.#options;
    for (let page = 0; page < PAGES && !signal.aborted; page++) {
      const after = this.#behind;
      const found = await space.page(cases, { index: 'watched', limit: PAGE, ...(after && { after }) });
      this.#behind = found.length < PAGE ? undefined : found.at(-1);
      if (found.length > 0) {
        const { slot, value } = await escrows.get(found.map((row) => row.value));
        for (const [index, row] of found.entries()) {
          if (signal.aborted) return 0;
          await this.#see(row.value, value[index], slot, signal);
        }
      }
      if (!this.#behind) return found.length === 0 && !after ? Number.POSITIVE_INFINITY : 0;
    }
    return 0;
  }

  async #see(found: NotaryCase, escrow: EscrowAccount | undefined, slot: number, signal: AbortSignal): Promise<void> {
    const { self } = this.#options;
    const { ledger } = found;
    const seen = ledger?.seen_slot ?? 0;
    if (!escrow || escrow.state === 'splitting') {
      if ((ledger || found.verdict) && slot > seen) await this.#seeEnded(found, seen);
      return;
    }
    const state = escrow.notary !== self ? 'other' : escrow.state === 'contested' ? 'contested' : 'running';
    const fresh: Sighting = {
      ...{ state, seen_slot: Math.max(seen, slot) },
      ...(state === 'contested' && { contested_at: escrow.disputedAt! * 1000, reminded: ledger?.reminded ?? 0 }),
    };
    // A read from before a contest does not undo it.
    if (ledger?.state !== state && slot > seen) await this.#note(found, fresh);
    if (state === 'contested') await this.#seeContested({ ...found, ledger: fresh }, signal);
  }

  async #seeContested(found: NotaryCase, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const { conversation, verdict, decision } = found;
    const due = found.ledger!.contested_at! + this.#disputeMs;
    if (!verdict && !decision) return this.#remind(found, due);
    if (this.#waiting.isPausing(idOf(found), clock.now())) return;
    const forProvider = decision?.for_provider ?? verdict?.outcome === 'approve';
    try {
      await this.#decide(found, forProvider, signal);
    } catch (error) {
      log.warn({ conversation, reason: String(error) }, 'a decision did not reach the ledger; it is tried again');
    }
    this.#waiting.pause(idOf(found), clock.now(), due);
  }

  async #decide(found: NotaryCase, forProvider: boolean, signal: AbortSignal): Promise<void> {
    const { space, judging } = this.#options;
    const { signature } = await judging.decide(found, forProvider, signal);
    const decision = { for_provider: forProvider, signature };
    await changeCase(space, found, (before) => ({ ...before, decision }));
  }

  async #seeEnded(found: NotaryCase, seen: number): Promise<void> {
    const { escrows, clock, self } = this.#options;
    const id = idOf(found);
    if (this.#lookingBack.isPausing(id, clock.now())) return;
    const state = await endingOf(escrows, found, self, seen);
    if (state) return this.#note(found, { ...(found.ledger ?? { seen_slot: 0 }), state });
    this.#lookingBack.pause(id, clock.now());
  }

  async #remind(found: NotaryCase, due: number): Promise<void> {
    const { clock, log, judging } = this.#options;
    const { conversation, ledger } = found;
    const passed = 1 - (due - clock.now()) / this.#disputeMs;
    const reminded = passed >= 3 / 4 ? 2 : passed >= 1 / 2 ? 1 : 0;
    if (reminded <= (ledger!.reminded ?? 0)) return;
    const reminder = REMINDERS[reminded - 1]!;
    log.warn({ conversation, reminder }, 'a contested deal waits for its notary; silence burns what is in dispute');
    judging.remind(conversation, reminder);
    await this.#note(found, { ...ledger!, reminded });
  }

  #note(found: NotaryCase, ledger: Sighting): Promise<void> {
    return changeCase(this.#options.space, found, (before) => ({ ...before, ledger }));
  }

  /** Why there is nothing to decide. */
  #problem(escrow: EscrowAccount | undefined): MeshError | undefined {
    if (!escrow) return new MeshError('escrow_not_found');
    if (escrow.notary !== this.#options.self)
      return new MeshError('forbidden', 'The terms of this escrow name another notary, or none.');
    if (escrow.state === 'contested') return undefined;
    const early = escrow.state === 'delivered' || escrow.state === 'disputed';
    return new MeshError('invalid_transition', {
      detail: `This escrow is ${escrow.state}; a notary decides what is contested${early ? ', and gives a verdict before' : ''}.`,
      extra: { allowed_actions: early ? ['verdict'] : [] },
    });
  }

  get #disputeMs(): number {
    return this.#options.escrows.disputeSecs * 1000;
  }
}
