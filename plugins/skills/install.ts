import { invalidField, isMeshError, MeshError } from '../../core/plugin.ts';
import type { Http } from '../../core/services.ts';
import { MOST_BYTES } from './shapes.ts';

/** Milliseconds for the whole download, and for each connection of it. */
const TIMEOUT = 15_000;
const CONNECT_TIMEOUT = 5_000;

/** The bytes at an https address of the public internet. */
export async function download(http: Http, url: string, signal: AbortSignal): Promise<Uint8Array> {
  if (!/^https:/i.test(url.trim())) throw invalidField('/url', 'must be an https URL');
  const response = await http
    .request(url, {
      headers: { accept: 'application/toml, text/plain, */*;q=0.1' },
      ...{ timeout: TIMEOUT, connectTimeout: CONNECT_TIMEOUT, maxBytes: MOST_BYTES, publicOnly: true, signal },
    })
    .catch((error: unknown) => {
      if (!isMeshError(error)) throw error;
      if (error.code === 'invalid_request' || error.code === 'forbidden') throw invalidField('/url', error.message);
      if (error.details.extra?.['most_bytes'] !== undefined)
        throw new MeshError('payload_too_large', `What is there has more than ${MOST_BYTES} bytes.`);
      throw error;
    });
  const { status } = response;
  if (status === 200) return response.body;
  const detail = `${new URL(response.url).host} answered ${status}.`;
  throw new MeshError('upstream_failed', { detail, extra: { upstream_status: status } });
}
