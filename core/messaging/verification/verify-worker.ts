/** The thread of verify-thread.ts: verifies a batch and answers with one verdict for each signature. */
import { parentPort } from 'node:worker_threads';
import { verify } from '../../protocol/identity/verify.ts';
import type { PackedVerifications } from './verify-thread.ts';

parentPort!.on('message', ({ bytes, lengths }: PackedVerifications) => {
  const verdicts = new Uint8Array(lengths.length / 3);
  let at = 0;
  const parts = Array.from(lengths, (length) => {
    at += length;
    return bytes.subarray(at - length, at);
  });
  for (let i = 0; i < verdicts.length; i++) {
    const [key, signature, message] = parts.slice(3 * i, 3 * i + 3) as [Uint8Array, Uint8Array, Uint8Array];
    verdicts[i] = verify(message, signature, key) ? 1 : 0;
  }
  parentPort!.postMessage(verdicts);
});
