import { RateLimiter } from '../../http/limits.ts';
import type { BeaconPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { StorageError } from '../../storage/adapter.ts';
import type { Shown } from './effects/beacon.ts';
import { hostClaims } from './host-claims.ts';
import type { IngestParts } from './ingest.ts';
import { type ItemResult, itemResult } from './item.ts';
import { newKeysOf } from './new-keys.ts';
import { readPayload } from './payload.ts';
import { record } from './record.ts';
import type { Signed } from './signed.ts';
import { successionsIn } from './successions.ts';

/** An item whose signature is its sender's. */
export interface Verified {
  readonly item: Signed;
  /** See `IngestSource`. */
  readonly live: boolean;
  /** Its key was not known before. */
  readonly newcomer: boolean;
  /** Where another process has verified it: the network that told of the new key, which is counted here for all. */
  readonly newcomerFrom?: string | undefined;
}

export type Writing = (items: readonly Verified[]) => Promise<ItemResult[]>;

const PUT_OFF = {
  address: 'too many new keys from this address',
  all: 'too many new keys from everywhere',
  key: 'too many envelopes of this key',
};

/**
 * Records verified items, each in one transaction, within the bounds that hold for everybody together. Rejects only with a
 * StorageError; then the same items may be written again.
 */
export function createWriting(parts: IngestParts): Writing {
  const { clock, log, limits, putOff } = parts;
  const newKeys = newKeysOf(parts);
  const allNewKeys = new RateLimiter({ rate: limits.newKeysPerHourInAll, window: 3600 }, clock);
  const perKey = new RateLimiter({ rate: limits.itemsPerKeyPerMinute, window: 60 }, clock);
  const claimsOf = hostClaims(parts);
  const successionsOf = successionsIn({ ...parts, refused: parts.refusedSuccessions });
  const underWay = {
    envelope: new Map<string, Promise<ItemResult>>(),
    receipt: new Map<string, Promise<ItemResult>>(),
  };

  return (items) => {
    const admitted = new Set<string>();
    return Promise.all(items.map((one) => writeOnce(one, admitted)));
  };

  /** Anybody can tell copies of a message: they wait for the first one, so that they use up nothing of what its key may report. */
  function writeOnce(one: Verified, admitted: Set<string>): Promise<ItemResult> {
    const { id, kind } = one.item;
    const copies = underWay[kind];
    const first = copies.get(id);
    if (first) return first.then((result) => (result.status === 'accepted' ? itemResult(id, 'duplicate') : result));
    const writing = write(one, admitted);
    copies.set(id, writing);
    const over = () => copies.delete(id);
    writing.then(over, over);
    return writing;
  }

  async function write(one: Verified, admitted: Set<string>): Promise<ItemResult> {
    const { item } = one;
    const bound = boundOf(one, admitted);
    if (bound) {
      putOff({ bound });
      return itemResult(item.id, 'rate-limited', PUT_OFF[bound]);
    }
    const payload = readPayload(item);
    if (payload && !payload.ok) return itemResult(item.id, 'invalid', payload.reason);
    const beacon = payload?.value.msgType === 'BEACON' ? payload.value.value : undefined;
    // One that shows nobody waits for nothing, so that the items of a report keep their order.
    const shown = beacon && (beacon.hosted || beacon.successions) ? await shownIn(item.sender, beacon) : undefined;
    try {
      const result = await record(parts, item, payload?.value, shown);
      // A copy that was read before the first one was recorded.
      if (result.status === 'duplicate') perKey.giveBack(item.sender);
      return result;
    } catch (error) {
      if (error instanceof StorageError) throw error;
      // One item that finds a fault of ours must not keep its reporter from all others.
      log.error({ err: error, envelope_id: item.id }, 'an envelope could not be recorded');
      return itemResult(item.id, 'invalid', 'it could not be recorded');
    }
  }

  async function shownIn(sender: string, beacon: BeaconPayload): Promise<Shown> {
    const [hosted, successions] = await Promise.all([claimsOf(sender, beacon), successionsOf(sender, beacon)]);
    return { hosted, successions };
  }

  function boundOf(
    { item, newcomer, newcomerFrom }: Verified,
    admitted: Set<string>,
  ): keyof typeof PUT_OFF | undefined {
    const { sender } = item;
    if (newcomer && !admitted.has(sender)) {
      if (newcomerFrom !== undefined && !newKeys.tryTake(newcomerFrom)) return 'address';
      if (!allNewKeys.tryTake('')) return 'all';
      admitted.add(sender);
    }
    return perKey.tryTake(sender) ? undefined : 'key';
  }
}
