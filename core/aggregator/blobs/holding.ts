import { MeshError } from '../../contracts/errors.ts';
import type { BlobStat, Blobs } from '../../storage/blobs.ts';
import type { Space } from '../../storage/space.ts';
import { agents, hasStanding, type StoredAgent } from '../store/agents.ts';
import { holds, uploaded, uploadedBytes, usages } from '../store/blobs.ts';

const MIB = 1_048_576;
const DAY = 86_400_000;
/** A block of the disk, which the smallest file takes. */
const BLOCK = 4_096;
/** Holds that are looked at in one step of the clearing. */
const PAGE = 200;

export interface HoldingParts {
  readonly space: Space;
  readonly blobs: Blobs;
  /** Milliseconds. */
  readonly keptFor: number;
  /** Bytes of all blobs together. */
  readonly most: number;
}

/** Bytes that an agent may keep, by its standing: one without has room for one large blob. */
export function quotaOf(agent: StoredAgent): number {
  if (!hasStanding(agent)) return 10 * MIB;
  return agent.standing.score < 50 ? 64 * MIB : 256 * MIB;
}

/**
 * Holds of agents on blobs, and their ends. A hold is written before its file appears and removed before its file goes, so that no file
 * is left that nobody counts.
 */
export class Holding {
  readonly #parts: HoldingParts;

  constructor(parts: HoldingParts) {
    this.#parts = parts;
  }

  /** Puts a blob on the account of an agent, or prolongs it there; gives until when. Rejects with `forbidden` and `quota_exceeded`. */
  async hold(agent: string, { cid, size }: BlobStat): Promise<number> {
    const { space, keptFor, most } = this.#parts;
    const total = Number(await space.total(uploadedBytes));
    const [known, blob, hold, usage] = [
      agents.ref(agent),
      uploaded.ref(cid),
      holds.ref(`${agent}/${cid}`),
      usages.ref(agent),
    ];
    const { value } = await space.tx([known, blob, hold, usage], (tx) => {
      const row = tx.get(known);
      if (!row) throw unknown();
      const expires = tx.now + keptFor;
      const [stored, own] = [tx.get(blob), tx.get(hold)];
      tx.put(hold, { agent_id: agent, cid, size, expires });
      if (own) return expires;
      const bytes = (tx.get(usage)?.bytes ?? 0) + taken(size);
      const quota = quotaOf(row);
      if (bytes > quota + BLOCK)
        throw new MeshError('quota_exceeded', `Blobs of this agent may have ${quota} bytes together.`);
      // Keys cost nothing, so those without standing share half of the room.
      const room = hasStanding(row) ? most : most / 2;
      if (!stored && total + taken(size) > room)
        throw new MeshError('quota_exceeded', 'This aggregator has no room for more blobs.');
      tx.put(usage, { bytes });
      tx.put(blob, { size, holders: (stored?.holders ?? 0) + 1 });
      if (!stored) tx.add(uploadedBytes, taken(size));
      return expires;
    });
    return value;
  }

  /** Before anything is read of a stranger: keys cost nothing. */
  async requireKnown(agent: string): Promise<void> {
    if (!(await this.#parts.space.get(agents.ref(agent)))) throw unknown();
  }

  /** Whether anybody keeps it. */
  async has(cid: string): Promise<boolean> {
    return (await this.#parts.space.get(uploaded.ref(cid))) !== undefined;
  }

  /** Removes what nobody keeps any more; gives how many files went. */
  async clear(now: number, signal: AbortSignal): Promise<number> {
    const { space, blobs } = this.#parts;
    for (let gone = 0; ; ) {
      const rows = await space.page(holds, { index: 'expires', to: [now], limit: PAGE });
      for (const { value } of rows) {
        if (signal.aborted) return gone;
        if (!(await this.#release(value.agent_id, value.cid, now))) continue;
        await blobs.delete(value.cid);
        gone += 1;
      }
      if (rows.length < PAGE) return gone;
    }
  }

  /** Whether it was the last hold of the blob. */
  async #release(agent: string, cid: string, now: number): Promise<boolean> {
    const [blob, hold, usage] = [uploaded.ref(cid), holds.ref(`${agent}/${cid}`), usages.ref(agent)];
    const { value } = await this.#parts.space.tx([blob, hold, usage], (tx) => {
      const [stored, own] = [tx.get(blob), tx.get(hold)];
      if (!own || own.expires > now) return false;
      tx.del(hold);
      const bytes = (tx.get(usage)?.bytes ?? 0) - taken(own.size);
      if (bytes > 0) tx.put(usage, { bytes });
      else tx.del(usage);
      if (!stored) return false;
      if (stored.holders > 1) tx.put(blob, { ...stored, holders: stored.holders - 1 });
      else {
        tx.del(blob);
        tx.add(uploadedBytes, -taken(own.size));
      }
      return stored.holders === 1;
    });
    return value;
  }
}

export function keptFor(days: number): number {
  return days * DAY;
}

function unknown(): MeshError {
  return new MeshError('forbidden', 'This aggregator has not heard of that agent; report its BEACON first.');
}

function taken(size: number): number {
  return Math.max(size, BLOCK);
}
