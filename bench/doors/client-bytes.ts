import { gzipSync } from 'node:zlib';
import { bundleOf } from '../../test/client/support/web-bundle.ts';

export interface ClientBytes {
  readonly minified: number;
  readonly gzip: number;
}

/** The bytes of `agent-mesh/client` in a page. */
export async function clientBytes(): Promise<ClientBytes> {
  const { text } = await bundleOf('core/client/index.ts');
  return { minified: Buffer.byteLength(text), gzip: gzipSync(text, { level: 9 }).length };
}
