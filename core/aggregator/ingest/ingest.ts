import { RateLimiter } from '../../http/limits.ts';
import type { ExtensionPoints } from '../../messaging/extension-points.ts';
import type { Verifier } from '../../messaging/verification/verifier.ts';
import { networkOf } from '../../platform/addresses.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Count } from '../../platform/metrics.ts';
import type { Network } from '../../protocol/identity/network.ts';
import { StorageError } from '../../storage/adapter.ts';
import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import type { EvidenceJournal } from '../evidence/journal.ts';
import { agents } from '../store/agents.ts';
import { heard as heardRows, type StoredHeard } from '../store/heard.ts';
import type { Handling } from './handling.ts';
import { hostClaims } from './host-claims.ts';
import { type IngestItem, type IngestSource, type ItemResult, itemResult } from './item.ts';
import { holds } from './nonce.ts';
import { readPayload } from './payload.ts';
import { record } from './record.ts';
import { readItem, type Signed, verificationOf } from './signed.ts';

/**
 * Takes envelopes and receipts from anyone, verifies each, and applies the effect of each new one to the public
 * record, in one transaction an item. Results come in the order of the items. Idempotent: reporting the same again,
 * from anywhere, in whole or as a receipt, changes nothing. Rejects only with a StorageError; then the same items may
 * be reported again.
 */
export type Ingest = (items: readonly IngestItem[], source: IngestSource) => Promise<ItemResult[]>;

export interface IngestParts {
  readonly space: Space;
  readonly network: Network;
  readonly verifier: Verifier;
  readonly clock: Clock;
  readonly log: Log;
  readonly epochs: Epochs;
  /** Hands what is recorded to the handlers of plugins. */
  readonly handling: Pick<Handling, 'keeps' | 'keep' | 'recorded'>;
  /** Keeps what scores are made of. */
  readonly evidence?: EvidenceJournal;
  /** The parts that plugins take in recording. */
  readonly plugins?: Pick<ExtensionPoints, 'recording'>;
  readonly limits: IngestLimits;
  /** Counts results by status. */
  readonly counted: Count;
  /** Counts items that were put off, by the bound that was met: `address`, `all` or `key`. */
  readonly putOff: Count;
  /** Counts accepted items, by message type: DISCOVER has no other effect than that its sender was heard of. */
  readonly recorded: Count;
  /** Counts feedback that had no effect, by reason. */
  readonly dropped: Count;
}

export interface IngestLimits {
  /** Keys never seen before, from one address (or IPv6 network). */
  readonly newKeysPerHour: number;
  /** Keys never seen before, from everywhere: addresses are cheap too, and each key is kept for ever. */
  readonly newKeysPerHourInAll: number;
  /** Items signed by one key, from anywhere. */
  readonly itemsPerKeyPerMinute: number;
}

export const DEFAULT_LIMITS: IngestLimits = {
  newKeysPerHour: 60,
  newKeysPerHourInAll: 20_000,
  itemsPerKeyPerMinute: 600,
};

const PUT_OFF = {
  address: 'too many new keys from this address',
  all: 'too many new keys from everywhere',
  key: 'too many envelopes of this key',
};

export function createIngest(parts: IngestParts): Ingest {
  const { space, network, verifier, clock, log, limits, counted, putOff } = parts;
  const newKeys = new RateLimiter({ rate: limits.newKeysPerHour, window: 3600 }, clock);
  const allNewKeys = new RateLimiter({ rate: limits.newKeysPerHourInAll, window: 3600 }, clock);
  const perKey = new RateLimiter({ rate: limits.itemsPerKeyPerMinute, window: 60 }, clock);

  const claimsOf = hostClaims(parts);

  return async (items, source) => {
    const read = items.map((item) => readItem(item, { network, now: clock.now(), live: source.live ?? false }));
    const signed = read.filter((item) => 'header' in item);
    const held = await space.getMany(signed.map(({ nonceRef }) => nonceRef));
    const heard = await heardOf(space, signed);
    const known = new Set(await knownSenders(space, signed));
    const fresh = signed.filter((item, index) => !holds(item, held[index], heard.get(item.sender)));
    const genuine = await verifier.verifyAll(fresh.map((item) => verificationOf(item, network)));
    const judged = await Promise.all(fresh.map((item, index) => judge(item, genuine[index]!)));
    const verdicts = new Map(fresh.map((item, index) => [item, judged[index]!]));
    const results = read.map((item) =>
      'header' in item ? (verdicts.get(item) ?? itemResult(item.id, 'duplicate')) : item,
    );
    for (const { status } of results) counted({ status });
    return results;

    async function judge(item: Signed, isGenuine: boolean): Promise<ItemResult> {
      if (!isGenuine) return itemResult(item.id, 'invalid', 'the signature is not of its sender');
      const bound = boundOf(item.sender);
      if (bound) {
        putOff({ bound });
        return itemResult(item.id, 'rate-limited', PUT_OFF[bound]);
      }
      const payload = readPayload(item);
      if (payload && !payload.ok) return itemResult(item.id, 'invalid', payload.reason);
      const beacon = payload?.value.msgType === 'BEACON' ? payload.value.value : undefined;
      const hosted = beacon?.hosted && (await claimsOf(item.sender, beacon));
      return record(parts, item, payload?.value, hosted).catch((error: unknown) => {
        if (error instanceof StorageError) throw error;
        // One item that finds a fault of ours must not keep its reporter from all others.
        log.error({ err: error, envelope_id: item.id }, 'an envelope could not be recorded');
        return itemResult(item.id, 'invalid', 'it could not be recorded');
      });
    }

    /** Which bound a sender meets, if any. Whoever is known already meets none of those of newcomers. */
    function boundOf(sender: string): keyof typeof PUT_OFF | undefined {
      if (!known.has(sender)) {
        if (!takes(newKeys, networkOf(source.ip))) return 'address';
        if (!takes(allNewKeys, '')) return 'all';
        known.add(sender);
      }
      return takes(perKey, sender) ? undefined : 'key';
    }
  };
}

async function knownSenders(space: Space, signed: readonly Signed[]): Promise<string[]> {
  const senders = [...new Set(signed.map(({ sender }) => sender))];
  const rows = await space.getMany(senders.map((sender) => agents.ref(sender)));
  return senders.filter((_, index) => rows[index] !== undefined);
}

/** The newest BEACONs of those who sign one here. */
async function heardOf(space: Space, signed: readonly Signed[]): Promise<ReadonlyMap<string, StoredHeard | undefined>> {
  const senders = [...new Set(signed.filter(isAnnouncement).map(({ sender }) => sender))];
  const rows = await space.getMany(senders.map((sender) => heardRows.ref(sender)));
  return new Map(senders.map((sender, place) => [sender, rows[place]]));
}

function isAnnouncement({ msgType, envelope, header }: Signed): boolean {
  return msgType === 'BEACON' && envelope !== undefined && header.version === 2;
}

function takes(limiter: RateLimiter, caller: string): boolean {
  try {
    limiter.take(caller);
    return true;
  } catch {
    return false;
  }
}
