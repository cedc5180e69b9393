import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../contracts/errors.ts';
import type { Mesh } from '../../mesh/mesh-contract.ts';
import type { ReceiveHook } from '../../messaging/incoming.ts';
import { retryPause } from '../../messaging/retries.ts';
import { fromHex } from '../../platform/bytes.ts';
import type { Clock, Random } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { messageOf } from '../../platform/problem.ts';
import { parseAgentId, parseConversationId } from '../../protocol/identity/ids.ts';
import type { AgentIdentity } from '../../protocol/signer/identity.ts';
import { collection } from '../../storage/declarations.ts';
import type { Found } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { parseBlobUri } from './blob-uri.ts';
import type { FetchPlaces } from './fetch-places.ts';
import type { KeptBlobs } from './kept-blobs.ts';

type ExpectedBlob = SchemaTypes['expected-blob'];

const DAY = 86_400_000;
/** As long as the bytes are asked for by oneself; after that when the agent asks for them. */
const PATIENCE = 7 * DAY;
/** The place of a delivery, as it is remembered. */
const KEPT = 90 * DAY;
const PAGE = 100;

const expected = collection<ExpectedBlob, 'due'>('expected-blobs', {
  schema: 'expected-blob',
  ttl: KEPT,
  indexes: { due: ({ state, due }) => (state === 'waiting' ? [due] : undefined) },
});

/** Writes down where a delivery is, in the transaction that takes the DELIVER. */
export function expecting(deal: ReceiveHook): ReceiveHook {
  return {
    reads: deal.reads,
    apply(tx, message) {
      const reason = deal.apply(tx, message);
      const { payload, conversationId, sender } = message;
      if (reason !== 'accepted' || payload.msgType !== 'DELIVER') return reason;
      const { payload_uri, payload_size } = payload.value;
      const address = payload_uri === undefined ? undefined : parseBlobUri(payload_uri);
      // Only who delivers keeps what is delivered.
      if (!address || address.keeper !== sender || payload_size === undefined) return reason;
      const { cid, sealed } = address;
      const head = { keeper: sender, cid, size: payload_size, ...(sealed && { sealed }) };
      tx.put(expected.ref(conversationId), { ...head, state: 'waiting', attempts: 0, due: tx.now, since: tx.now });
      return reason;
    },
  };
}

export interface ExpectedBlobsOptions {
  readonly space: Space;
  readonly mesh: Pick<Mesh, 'fetchBlob'>;
  readonly identity: AgentIdentity;
  readonly kept: KeptBlobs;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly places: FetchPlaces;
  /** Of a hosted agent: what it fetches counts against its share of the room, and it reads only what was delivered to it. */
  readonly hosted?: boolean;
  /** A delivery is here, or is asked for again later. */
  readonly moved?: () => void;
}

/** Fetches deliveries that are too large for an envelope from who made them, and again until they are here. */
export class ExpectedBlobs {
  readonly #options: ExpectedBlobsOptions;
  readonly #underWay = new Map<string, Promise<ExpectedBlob>>();
  /** The peers that are being asked, unasked by the agent. */
  readonly #keepers = new Set<string>();
  #cancel = () => {};
  #isRunning = false;
  #again = false;
  #closed = false;

  constructor(options: ExpectedBlobsOptions) {
    this.#options = options;
  }

  /** Something may be due: at start, and when a DELIVER was taken. */
  wake(): void {
    this.#again = true;
    if (this.#isRunning || this.#closed) return;
    this.#isRunning = true;
    this.#run()
      .catch((error: unknown) => this.#options.log.error({ error }, 'deliveries could not be looked at'))
      .finally(() => {
        this.#isRunning = false;
      });
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  /** Whether a delivery is being fetched. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** When the next delivery is asked for again, Unix milliseconds; Infinity when none is. */
  async next(): Promise<number> {
    const [next] = await this.#options.space.page(expected, { index: 'due', limit: 1 });
    return next?.value.due ?? Number.POSITIVE_INFINITY;
  }

  /** The bytes of a delivery, fetched now when they are not here yet; undefined when it was not too large for its envelope. */
  async read(conversation: string): Promise<Uint8Array | undefined> {
    const found = await this.#options.space.get(expected.ref(conversation));
    if (!found) return undefined;
    const here = found.state === 'here' ? found : await this.#fetch(conversation, found);
    const bytes = here.state === 'here' ? await this.#held(here.cid) : undefined;
    if (bytes) return here.sealed ? this.#opened(bytes, here.keeper, conversation) : bytes;
    if (here.state === 'here')
      throw new MeshError('not_found', 'This node kept the delivery as long as core.deliveries.keepDays says.');
    throw new MeshError('upstream_failed', `The delivery is not here yet: ${here.why}`);
  }

  /** The bytes on this node. A hosted agent gets no others than those that were delivered to it, whatever hash a provider names. */
  #held(cid: string): Promise<Uint8Array | undefined> {
    const { kept, hosted, identity } = this.#options;
    return hosted ? kept.readFor(cid, identity.address, async () => false) : kept.read(cid);
  }

  #opened(bytes: Uint8Array, keeper: string, conversation: string): Uint8Array {
    const { identity } = this.#options;
    const address = {
      sender: parseAgentId(keeper)!,
      recipient: identity.key,
      conversationId: parseConversationId(conversation)!,
    };
    const opened = identity.unseal(bytes, address);
    if (opened.ok) return opened.value;
    throw new MeshError(
      'upstream_failed',
      `The delivery came as its provider signed it, and cannot be opened: ${opened.reason}.`,
    );
  }

  async #run(): Promise<void> {
    const { space, clock } = this.#options;
    while (this.#again && !this.#closed) {
      this.#again = false;
      this.#cancel();
      let rows: Found<ExpectedBlob>[] = [];
      do {
        rows = await space.page(expected, { index: 'due', limit: PAGE, after: rows.at(-1) });
        const later = rows.find(({ value }) => value.due > clock.now());
        for (const row of rows) if (row.value.due <= clock.now()) this.#begin(row);
        if (later && !this.#closed) this.#cancel = clock.after(later.value.due - clock.now(), () => this.wake());
        if (later) break;
      } while (rows.length === PAGE && this.#keepers.size < this.#options.places.each && !this.#closed);
    }
  }

  /** Not now when its provider is being asked for another one: whoever falls silent keeps only itself waiting. */
  #begin({ id, value }: Found<ExpectedBlob>): void {
    const { keeper } = value;
    if (this.#closed || this.#keepers.size >= this.#options.places.each || this.#keepers.has(keeper)) return;
    this.#keepers.add(keeper);
    this.#fetch(id, value)
      .finally(() => this.#keepers.delete(keeper))
      .then(
        () => this.wake(),
        (error: unknown) => this.#options.log.error({ error }, 'a delivery could not be looked at'),
      );
  }

  /** Once at a time for a conversation. */
  #fetch(conversation: string, blob: ExpectedBlob): Promise<ExpectedBlob> {
    const underWay = this.#underWay.get(conversation) ?? this.#attempt(conversation, blob);
    this.#underWay.set(conversation, underWay);
    return underWay.finally(() => this.#underWay.delete(conversation));
  }

  async #attempt(conversation: string, blob: ExpectedBlob): Promise<ExpectedBlob> {
    const { space, clock, random, log, places, moved } = this.#options;
    const why = await places.run(() => this.#get(blob)).catch((error: unknown) => messageOf(error));
    const attempts = blob.attempts + 1;
    const { why: _before, ...rest } = blob;
    const over = clock.now() - blob.since > PATIENCE;
    const after: ExpectedBlob =
      why === undefined
        ? { ...rest, attempts, state: 'here' }
        : {
            ...rest,
            ...{ attempts, why, state: over ? 'failed' : 'waiting' },
            due: clock.now() + retryPause(attempts, random.fraction()),
          };
    if (why !== undefined && attempts === 1)
      log.warn({ conversation, why }, 'a delivery could not be fetched; it is tried again');
    await space.put(expected.ref(conversation), after);
    moved?.();
    return after;
  }

  /** Why it could not be had; undefined when it is here, with the hash that was delivered. */
  async #get({ keeper, cid, size }: ExpectedBlob): Promise<string | undefined> {
    const { mesh, kept, hosted, identity } = this.#options;
    const share = hosted ? { hosted: identity.address } : { from: keeper };
    if (size > kept.mostBytes)
      return `it has ${size} bytes, and this node takes ${kept.mostBytes}: see core.deliveries.maxMiB`;
    if (await this.#held(cid).catch(() => undefined)) return undefined;
    await kept.requireRoom(cid, size, share);
    const bytes = await mesh.fetchBlob(parseAgentId(keeper)!, fromHex(cid, 32)!, size);
    if (!bytes) return 'its provider does not have it, or not of the size that it said.';
    return kept.keepAs(cid, bytes, share);
  }
}
