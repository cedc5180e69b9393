import type { NodeClient } from '../../client/node-client.ts';

/**
 * Reads an agent's durable inbox at its node: rings at every frame, keeps delivered content, and acknowledges the
 * frames of conversations that are over. Frames that were not acknowledged come again after a restart.
 */
export class AgentInbox {
  readonly #node: NodeClient;
  readonly #ring: () => void;
  /** Frames not acknowledged yet, oldest first. */
  readonly #frames: { readonly cursor: number; readonly conversation: string }[] = [];
  /** The content of each DELIVER among them, by conversation. */
  readonly #delivered = new Map<string, string>();

  constructor(node: NodeClient, ring: () => void) {
    this.#node = node;
    this.#ring = ring;
  }

  /** Reads until the signal is aborted. */
  async read(signal: AbortSignal): Promise<void> {
    for await (const frame of this.#node.inbox({ signal })) {
      const conversation = frame.conversation_id;
      this.#frames.push({ cursor: frame.cursor, conversation });
      if (frame.msg_type === 'DELIVER') {
        this.#delivered.set(conversation, Buffer.from(frame.payload_b64, 'base64').toString('utf8'));
      }
      this.#ring();
    }
  }

  delivery(conversation: string): string | undefined {
    return this.#delivered.get(conversation);
  }

  /** Acknowledges the oldest frames, up to the first one whose conversation is not over. */
  async acknowledge(isOver: (conversation: string) => Promise<boolean>): Promise<void> {
    let last: number | undefined;
    for (let frame = this.#frames[0]; frame && (await isOver(frame.conversation)); frame = this.#frames[0]) {
      last = frame.cursor;
      this.#delivered.delete(frame.conversation);
      this.#frames.shift();
    }
    if (last !== undefined) await this.#node.acknowledge(last);
  }
}
