// In the place of core/messaging/verification/verifier.ts: the program is a thread of its own already.
import type { Verification } from '../../../core/messaging/verification/verify-thread.ts';
import { verify } from './verify.ts';

export class Verifier {
  verify(message: Uint8Array, signature: Uint8Array, key: Uint8Array): Promise<boolean> {
    return Promise.resolve(verify(message, signature, key));
  }

  verifyAll(batch: readonly Verification[]): Promise<readonly boolean[]> {
    return Promise.resolve(batch.map(({ message, signature, key }) => verify(message, signature, key)));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
