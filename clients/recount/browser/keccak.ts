// In the place of core/protocol/envelopes/keccak.ts: WebAssembly would need a wider policy of content.

import { concatBytes } from '../../../core/platform/bytes.ts';
// @ts-expect-error: the pages are plain JavaScript.
import * as page from '../../../plugins/explorer/public/keccak.js';

export function keccak256(...parts: readonly Uint8Array[]): Uint8Array {
  return page.keccak256(concatBytes(...parts));
}
