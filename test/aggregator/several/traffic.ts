import assert from 'node:assert/strict';
import { activity, activityPosting } from '../../../core/aggregator/store/logs.ts';
import { happens } from '../../support/happens.ts';
import { type Watched, watch } from '../../support/sockets.ts';
import { signDeal, TestAgent } from '../support/agent.ts';
import type { Fleet } from './fleet.ts';

/** Where a call goes: a URL, another one each time it is asked for. */
export type Door = () => string;

const HEADERS = { 'content-type': 'application/json' };
const DONE = new Set(['accepted', 'duplicate']);

/** Reports deals without pause, each until it is acknowledged; remembers the conversations of those that are. */
export class Reports {
  readonly acknowledged: string[] = [];
  /** Calls that got no answer, or another one than 200. */
  readonly failed: string[] = [];
  readonly #agents: readonly TestAgent[];
  readonly #door: Door;
  #isOver = false;
  readonly #ended: Promise<unknown>;

  /** `marks` tells its agents from those of others. */
  constructor(marks: string, door: Door, lanes: number) {
    this.#door = door;
    this.#agents = Array.from({ length: 2 * lanes }, (_, n) => new TestAgent(`${marks} ${n}`));
    this.#ended = Promise.all(Array.from({ length: lanes }, (_, lane) => this.#lane(lane)));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #lane(lane: number): Promise<void> {
    const [asker, worker] = [this.#agents[2 * lane]!, this.#agents[2 * lane + 1]!];
    while (!this.#isOver) {
      const { propose, accept, deliver, conversation } = signDeal(asker, worker);
      const body = JSON.stringify({ items: [propose.receipt, accept.receipt, deliver.receipt] });
      await happens('a deal is acknowledged', () => this.#report(body), 60_000);
      this.acknowledged.push(conversation);
    }
  }

  async #report(body: string): Promise<true | undefined> {
    const url = this.#door();
    try {
      const answer = await fetch(`${url}/ingest/envelopes`, { method: 'POST', headers: HEADERS, body });
      const said = (await answer.json()) as any;
      if (answer.status === 200 && said.results.every(({ status }: any) => DONE.has(status))) return true;
      this.failed.push(`${answer.status} ${JSON.stringify(said)}`);
    } catch (error) {
      this.failed.push(`${url}: ${(error as Error).cause ?? error}`);
    }
    return undefined;
  }
}

/** Follows the feed through one door after the other, from where it was. */
export class Follower {
  readonly ids: number[] = [];
  readonly #door: Door;
  #isOver = false;
  #stream: Watched | undefined;
  readonly #ended: Promise<void>;

  constructor(door: Door) {
    this.#door = door;
    this.#ended = this.#follow();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#stream?.socket.terminate();
    await this.#ended;
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      const stream = watch(`${this.#door()}/ws/activity?since=${this.ids.at(-1) ?? 0}`);
      this.#stream = stream;
      await stream.closed;
      this.ids.push(...stream.frames.map(({ id }) => id));
      if (!this.#isOver) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** The frames so far, those of the open stream too. */
  get newest(): number {
    return this.#stream?.frames.at(-1)?.id ?? this.ids.at(-1) ?? 0;
  }
}

/** Every acknowledged deal has each of its events once, and the streams showed every event once and in order. */
export async function checkExact(fleet: Fleet, conversations: readonly string[], followers: readonly Follower[]) {
  const { space } = fleet;
  for (const conversation of conversations) {
    const rows = await space.page(activity, { posting: activityPosting({ conversation }), limit: 100 });
    const kinds = rows.map(({ record }) => record.event_type).sort();
    assert.deepEqual(kinds, ['ACCEPT', 'DELIVER'], `the deal ${conversation}`);
  }
  const all: number[] = [];
  for (let after = 0; ; after = all.at(-1)!) {
    const rows = await space.page(activity, { after, limit: 1_000 });
    all.push(...rows.map(({ id }) => id));
    if (rows.length < 1_000) break;
  }
  assert.equal(all.length, 2 * conversations.length);
  for (const follower of followers) {
    await happens('a stream shows everything', async () => follower.newest === all.at(-1) || undefined);
    await follower.end();
    assert.deepEqual(follower.ids, all);
  }
}
