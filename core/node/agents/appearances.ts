import type { Log } from '../../platform/log.ts';
import type { BeaconPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import type { NodeEvents } from '../services/node-events.ts';
import type { HostDirectory } from './host-directory.ts';

/** Tells the outboxes of this node of keys that can be reached again: peers, and the agents that they act for. */
export class Appearances {
  readonly #hosts: HostDirectory;
  readonly #events: NodeEvents;
  readonly #log: Log;
  readonly #listeners = new Set<(key: string) => void>();

  constructor(hosts: HostDirectory, events: NodeEvents, log: Log) {
    this.#hosts = hosts;
    this.#events = events;
    this.#log = log;
  }

  /** `listener` must be quick and must not throw. */
  listen(listener: (key: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** There is a session with a peer. */
  connected(peer: string): void {
    this.#tell(peer);
    this.#hosts
      .agentsOf(peer)
      .then((agents) => {
        for (const agent of agents) this.#tell(agent);
      })
      .catch((error: unknown) => this.#log.error({ error }, 'the agents of a peer were not looked up'));
  }

  /** A peer has told where it can be dialled, and for whom it acts. */
  async beaconed(peer: string, beacon: BeaconPayload): Promise<void> {
    this.#tell(peer);
    for (const agent of await this.#hosts.heard(peer, beacon)) this.#tell(agent);
    for (const { agent_id, successor, time } of await this.#hosts.heardSuccessions(peer, beacon)) {
      this.#log.info({ agent: agent_id, successor }, 'an agent goes on under another key');
      this.#events.emit('key_change', agent_id, { agent_id, successor, time });
    }
  }

  #tell(key: string): void {
    for (const listener of this.#listeners) listener(key);
  }
}
