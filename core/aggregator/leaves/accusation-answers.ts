import { setImmediate as aTurn } from 'node:timers/promises';
import { isMeshError } from '../../contracts/errors.ts';
import type { SettlementActions } from '../../ledger/settlement-actions.ts';
import { toHex } from '../../platform/bytes.ts';
import type { Log } from '../../platform/log.ts';
import type { Count } from '../../platform/metrics.ts';
import { largeTree } from '../../protocol/batches/large-tree.ts';
import { leafOf } from '../../protocol/batches/leaf-list.ts';
import type { AccusationAccount, AgentAccount } from '../../protocol/settlement/accounts.ts';
import type { SettlementStep } from '../../protocol/settlement/steps.ts';
import { accusationRef, accusations, type StoredAccusation } from '../store/accusations.ts';
import { leafListRef } from '../store/leaves.ts';
import { stakes } from '../store/ledger.ts';
import { AccusationSearch, type SearchParts } from './accusation-search.ts';
import { readLeaves } from './keeping.ts';

export interface AnswerParts extends SearchParts {
  readonly steps: SettlementActions;
  readonly log: Log;
  /** By result: `answered`, `failed`, `unanswerable`. */
  readonly answered: Count;
}

/** The ledger's accounts of an accused key at one finalised slot. */
interface Reading {
  readonly agent: AgentAccount | undefined;
  readonly accounts: readonly AccusationAccount[];
  readonly slot: number;
}

/** Accused keys looked at in one run, and accusations of one key. */
const KEYS = 50;
const PER_KEY = 500;
const AT_ONCE = 100;
const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 3_600_000;
/** No pause is longer than this share of the time that is left to answer. */
const SHARE_OF_REST = 10;

/**
 * Answers open accusations from the leaf lists kept here, for agents that are away. Driven by accounts: the agent account
 * counts the open accusations, and each has an account of its own; events only say where to look first. Anyone may answer,
 * so nothing is lost when several do: the first one lands.
 */
export class AccusationAnswers {
  readonly #parts: AnswerParts;
  readonly #search: AccusationSearch;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
    this.#search = new AccusationSearch(parts);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.#parts;
    this.#search.begin();
    for (const key of await this.#keys()) {
      if (signal.aborted) return;
      try {
        await this.#attend(key, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ agent: key, reason: String(error) }, 'accusations of an agent could not be looked at');
      }
    }
  }

  /** Those with something to try now, and those of whom the ledger counts more accusations than are known. */
  async #keys(): Promise<ReadonlySet<string>> {
    const { space, clock } = this.#parts;
    const due = await space.page(accusations, { index: 'next', to: [clock.now() + 1], limit: PER_KEY });
    const keys = new Set(due.map(({ value }) => value.key));
    for (const { value } of await space.page(stakes, { index: 'accused', limit: PER_KEY })) {
      if (keys.size >= KEYS) break;
      const known = await this.#known(value.key);
      if (value.open > known.length && this.#search.isDue(value.key, value.open)) keys.add(value.key);
    }
    return new Set([...keys].slice(0, KEYS));
  }

  async #known(key: string): Promise<readonly StoredAccusation[]> {
    const rows = await this.#parts.space.page(accusations, { index: 'key', prefix: [key], limit: PER_KEY });
    return rows.map(({ value }) => value);
  }

  async #attend(key: string, signal: AbortSignal): Promise<void> {
    const known = await this.#known(key);
    const reading = await this.#read(key, known);
    const { agent, slot } = reading;
    const accounts = [...reading.accounts];
    if (agent && agent.open > accounts.length) {
      const ids = new Set(known.map(({ id }) => id));
      accounts.push(...(await this.#search.step(key, { agent, slot }, ids, signal)));
    }
    await this.#forgetEnded(known, reading);
    for (const account of accounts) await this.#note(account);
    for (const account of accounts) {
      if (signal.aborted) return;
      if (account.epoch > (agent?.settledEpoch ?? 0)) await this.#tryAnswer(account, signal);
    }
  }

  async #read(key: string, known: readonly StoredAccusation[]): Promise<Reading> {
    const { settlement, space } = this.#parts;
    const stake = await space.get(stakes.ref(key));
    const atLeast = Math.max(stake?.event_slot ?? 0, ...known.map(({ slot = 0 }) => slot));
    const accounts: AccusationAccount[] = [];
    let oldest = Number.POSITIVE_INFINITY;
    for (let start = 0; start < known.length; start += AT_ONCE) {
      const names = known.slice(start, start + AT_ONCE).map(({ id }) => ({ key, id }));
      const { slot, value } = await settlement.accusations(names, atLeast);
      accounts.push(...value.filter((account) => account !== undefined));
      oldest = Math.min(oldest, slot);
    }
    const agents = await settlement.agents([key], known.length === 0 ? atLeast : oldest);
    return { agent: agents.value[0], accounts, slot: Math.min(oldest, agents.slot) };
  }

  /**
   * Forgets accusations that have ended. That one is missing is not enough: it must be missing at a later slot than its
   * own, and the agent account must show an end.
   */
  async #forgetEnded(known: readonly StoredAccusation[], { agent, accounts, slot }: Reading): Promise<void> {
    const { space } = this.#parts;
    for (const accusation of known) {
      const { key, id, epoch, slot: since = 0 } = accusation;
      const isSettled = agent !== undefined && agent.settledEpoch >= epoch;
      const isAnswered = slot > since && agent?.open === accounts.length && !accounts.some((one) => one.id === id);
      if (isSettled || isAnswered) await space.del(accusationRef(key, id));
      else if (!accounts.some((one) => one.id === id)) await this.#later(accusation);
    }
  }

  /** Keeps an accusation that was found, or was made again since. */
  async #note({ key, accuser, id, epoch, index, slot }: AccusationAccount): Promise<void> {
    const ref = accusationRef(key, id);
    await this.#parts.space.tx([ref], (tx) => {
      const known = tx.get(ref);
      if (known?.slot !== undefined && known.slot >= slot) return;
      tx.put(ref, { key, accuser, id, epoch, index, tries: 0, next_try: 0, slot });
    });
  }

  async #tryAnswer(account: AccusationAccount, signal: AbortSignal): Promise<void> {
    const { space, clock, log } = this.#parts;
    const { key, id } = account;
    const known = await space.get(accusationRef(key, id));
    if (!known || known.next_try > clock.now()) return;
    try {
      await this.#answer(account, signal);
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ agent: key, envelope: id, reason: String(error) }, 'an accusation was not answered yet');
    }
    await this.#later(known, account);
  }

  /** Does nothing where the leaves are not kept, or do not contain what is accused. */
  async #answer(account: AccusationAccount, signal: AbortSignal): Promise<void> {
    const { space, blobs, answered } = this.#parts;
    const { key, id, epoch, index, root, accuser } = account;
    const list = await space.get(leafListRef(key, epoch));
    const leaves = list && list.root === root ? await readLeaves(blobs, list) : undefined;
    if (!leaves) return;
    const leaf = leafOf(leaves, index + 1);
    if (!leaf || toHex(leaf) !== id) return answered({ result: 'unanswerable' });
    const siblings = (await largeTree(leaves, aTurn)).path(index);
    await this.#send({ type: 'answer', key, id, accuser, siblings }, account.slot, signal);
  }

  /** The name has the slot of the accusation: the same envelope can be accused again. */
  async #send(step: Extract<SettlementStep, { type: 'answer' }>, slot: number, signal: AbortSignal): Promise<void> {
    const { steps, answered } = this.#parts;
    try {
      await steps.run(`answer:${step.key}:${step.id}:${slot}`, step, signal);
      answered({ result: 'answered' });
    } catch (error) {
      // Somebody else was first.
      if (isMeshError(error) && error.code === 'not_found') return;
      answered({ result: 'failed' });
      throw error;
    }
  }

  /** When to look again; it is forgotten when the accounts say that it has ended. */
  async #later({ key, id }: StoredAccusation, account?: AccusationAccount): Promise<void> {
    const { space, clock, settlement } = this.#parts;
    const ref = accusationRef(key, id);
    const end = account && (account.accusedAt + settlement.numbers.responseSecs) * 1000;
    await space.tx([ref], (tx) => {
      const known = tx.get(ref);
      if (!known) return;
      const now = clock.now();
      const rest = end === undefined || end <= now ? MAX_PAUSE_MS : (end - now) / SHARE_OF_REST;
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(known.tries, 20), MAX_PAUSE_MS, Math.ceil(rest));
      tx.put(ref, { ...known, tries: known.tries + 1, next_try: now + pause });
    });
  }
}
