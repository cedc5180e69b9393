import type { StorageAdapter } from '../storage/adapter.ts';
import type { TestRunner } from './runner.ts';
import { adapterContract } from './storage-adapter.ts';
import { lifetimeContract } from './storage-lifetime.ts';
import { modelContract } from './storage-model.ts';
import { orderContract } from './storage-order.ts';
import { pageContract } from './storage-pages.ts';
import { queueContract } from './storage-queues.ts';
import { storeContract } from './storage-store.ts';

export type Runner = Pick<TestRunner, 'describe' | 'it' | 'beforeEach' | 'afterEach'>;

/** One empty store under test, already open. */
export interface StorageUnderTest {
  readonly adapter: StorageAdapter;
  /** Closes the store and opens it again from what it left behind; absent when it leaves nothing. */
  reopen?(): Promise<StorageAdapter>;
  /** Closes the store, if it is open, and removes everything. */
  destroy(): Promise<void>;
}

/** Makes an empty store that takes the time from `now`, in Unix milliseconds. */
export type CreateStorage = (options: { now: () => number }) => Promise<StorageUnderTest>;

/**
 * The contract of every storage adapter: first the adapter itself, then everything that core builds on it.
 *
 *     storageContract('my store', async ({ now }) => ({ adapter: await openMine(now), destroy: () => removeMine() }),
 *       { describe, it, beforeEach, afterEach });
 */
export function storageContract(name: string, create: CreateStorage, runner: Runner): void {
  runner.describe(`storage contract: ${name}`, () => {
    for (const part of [
      adapterContract,
      lifetimeContract,
      orderContract,
      modelContract,
      storeContract,
      pageContract,
      queueContract,
    ])
      part(create, runner);
  });
}

export const START = 1_700_000_000_000;

/** The store of the running test, and a clock that the test moves. */
export interface Bench {
  now: number;
  adapter: StorageAdapter;
  reopen: (() => Promise<void>) | undefined;
}

/** Gives every test of a group its own empty store. */
export function bench(create: CreateStorage, { beforeEach, afterEach }: Runner): Bench {
  const state = { now: START } as Bench;
  let current: StorageUnderTest;
  // Some runners give a test up when nothing but unreferenced timers is left to wait for, as leases have.
  let alive: NodeJS.Timeout;
  beforeEach(async () => {
    alive = setInterval(() => {}, 60_000);
    state.now = START;
    current = await create({ now: () => state.now });
    state.adapter = current.adapter;
    state.reopen =
      current.reopen &&
      (async () => {
        state.adapter = await current.reopen!();
      });
  });
  afterEach(async () => {
    clearInterval(alive);
    await current.destroy();
  });
  return state;
}
