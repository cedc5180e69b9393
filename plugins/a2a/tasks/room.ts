import { Refusal } from '../protocol/refusal.ts';
import { scopeOf, type Visit } from '../protocol/visit.ts';
import type { TaskBook } from './task-book.ts';

/** Open tasks of one caller with one agent. */
const OPEN = 256;
/** The same of all guests, and of the guests of one address. */
const OPEN_OF_GUESTS = 32;
const OPEN_OF_NETWORK = 4;
/** Tasks of clients and guests that an agent has not answered: its node takes no more offers of one stranger at a time. */
const WAITING = 16;

/** Refuses a new task that would be one too many. */
export async function requireRoom(book: TaskBook, visit: Visit): Promise<void> {
  const isGuest = visit.network !== '';
  const open = isGuest ? OPEN_OF_GUESTS : OPEN;
  await within(book, 'open', scopeOf(visit), open);
  if (isGuest) await within(book, 'guest', visit.network, OPEN_OF_NETWORK);
  if (visit.caller !== 'hire') await within(book, 'waiting', visit.agent, WAITING);
}

async function within(book: TaskBook, index: 'open' | 'waiting' | 'guest', key: string, most: number): Promise<void> {
  if ((await book.count(index, key, most)) < most) return;
  throw new Refusal('limit', { detail: 'Too many tasks are open; wait until some have ended.', retryAfter: 60 });
}
