import type { SchemaTypes } from '../../schemas/types.ts';
import { invalidField, MeshError } from '../contracts/errors.ts';
import type { Mesh } from '../mesh/mesh-contract.ts';
import type { Clock } from '../platform/clock.ts';
import { KeyedCounter } from '../platform/keyed-counter.ts';
import { internalToken } from '../platform/token.ts';
import { collection } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';

const subscriptions = collection<SchemaTypes['topic-subscriptions']>('topics', { schema: 'topic-subscriptions' });
const ALL = subscriptions.ref('all');

/** As many as a hub takes of one peer. */
const MOST = 64;

type Topic = SchemaTypes['topics']['topics'][number];

export interface TopicsOptions {
  readonly space: Space;
  readonly mesh: Mesh;
  readonly clock: Clock;
  /** Those of the configuration; they are there as long as they stand in it. */
  readonly configured: readonly string[];
}

/** The topics whose broadcasts this node hears: those of its configuration, and those its agent has asked for. */
export class TopicSubscriptions {
  readonly #options: TopicsOptions;
  readonly #asked: Map<string, number>;
  /** Those that somebody follows now. */
  readonly #held = new KeyedCounter();

  private constructor(options: TopicsOptions, asked: Map<string, number>) {
    this.#options = options;
    this.#asked = asked;
  }

  static async open(options: TopicsOptions): Promise<TopicSubscriptions> {
    const stored = await options.space.get(ALL);
    return new TopicSubscriptions(options, new Map(stored?.topics.map(({ topic, since }) => [topic, since])));
  }

  has(topic: string): boolean {
    return this.#asked.has(topic) || this.#options.configured.includes(topic);
  }

  /** Whether somebody wants its broadcasts: the agent, or who follows it now. */
  hears(topic: string): boolean {
    return this.has(topic) || this.#held.of(topic) > 0;
  }

  list(): Topic[] {
    const { configured } = this.#options;
    const asked = [...this.#asked].filter(([topic]) => !configured.includes(topic));
    return [
      ...configured.map((topic) => ({ topic, configured: true })),
      ...asked.map(([topic, since]) => ({ topic, configured: false, since: new Date(since).toISOString() })),
    ];
  }

  /** Tells the mesh of all of them, once; those that do not fit any more are left out, the oldest first. */
  start(): void {
    const topics = this.list().map(({ topic }) => topic);
    this.#options.mesh.subscribe(topics.slice(-MOST));
  }

  /** Hears a topic as long as somebody follows it; the returned function says that they do no more, and is called once. */
  hold(topic: string): () => void {
    const isHeard = this.hears(topic);
    if (!isHeard && this.list().length + this.#held.size >= MOST)
      throw new MeshError('rate_limited', `At most ${MOST} topics are heard at the same time: leave another first.`);
    if (!isHeard) this.#options.mesh.subscribe([topic]);
    const giveBack = this.#held.take(topic);
    return () => {
      giveBack();
      if (this.#held.of(topic) === 0 && !this.has(topic)) this.#options.mesh.unsubscribe([topic]);
    };
  }

  async add(topic: string): Promise<void> {
    if (this.has(topic)) return;
    if (this.list().length >= MOST) throw invalidField('/topic', `would be one more than ${MOST}: leave another first`);
    // Taken before anything is waited for, so that two at once do not both find the last place.
    this.#asked.set(topic, this.#options.clock.now());
    this.#options.mesh.subscribe([topic]);
    await this.#save();
  }

  async remove(topic: string): Promise<void> {
    if (this.#options.configured.includes(topic))
      throw invalidField('/topic', 'stands in mesh.topics of the configuration: take it out there');
    if (!this.#asked.delete(topic)) return;
    if (this.#held.of(topic) === 0) this.#options.mesh.unsubscribe([topic]);
    await this.#save();
  }

  async #save(): Promise<void> {
    await this.#options.space.put(ALL, { topics: [...this.#asked].map(([topic, since]) => ({ topic, since })) });
  }
}

export const Topics = internalToken<TopicSubscriptions>('topics');
