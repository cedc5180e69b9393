import type { StoreLook } from '../../core/host/wiring/adapter-settings.ts';
import { createClient, parseEndpoint } from './client.ts';
import { asStorageError, isReply, unreachable } from './faults.ts';
import { inspect } from './server.ts';

const TIMEOUT_MS = 5_000;

/**
 * Asks a Redis for its version and its promises, without writing anything. Rejects with a sentence that names the
 * remedy.
 */
export async function dialRedis(url: string): Promise<StoreLook> {
  const endpoint = parseEndpoint(url);
  const redis = createClient(endpoint, { connectTimeout: TIMEOUT_MS, commandTimeout: TIMEOUT_MS });
  let failed: unknown;
  redis.on('error', (error) => {
    failed = error;
    redis.disconnect();
  });
  try {
    await redis.connect();
    const { guarantees } = await inspect(redis);
    const { durability, warnings } = guarantees;
    return { text: `Redis at ${endpoint.shown} answers, durability ${durability}`, warnings };
  } catch (error) {
    const cause = failed ?? error;
    const isOurs = isReply(cause) || (cause as Error).name === 'StorageError';
    throw isOurs ? asStorageError(cause) : unreachable(endpoint.shown, cause, endpoint.isTls);
  } finally {
    redis.disconnect();
  }
}
