import type { AccountState } from './engine.ts';
import { base58, base64, Options } from './params.ts';

const MAX_FILTERS = 4;

export type AccountFilter = (state: AccountState) => boolean;

/** The `filters` of the options: `dataSize` and `memcmp`. */
export function accountFilters(options: Options): AccountFilter[] {
  return options.has('filters') ? options.list('filters', MAX_FILTERS, readFilter) : [];
}

function readFilter(value: unknown, name: string): AccountFilter {
  const filter = new Options(value, name);
  if (filter.has('dataSize')) {
    const size = filter.integer('dataSize', 0, Number.MAX_SAFE_INTEGER);
    return (state) => state.data.length === size;
  }
  const compare = filter.options('memcmp');
  const encoding = compare.oneOf('encoding', ['base58', 'base64'] as const, 'base58');
  const bytes = (encoding === 'base64' ? base64 : base58)(compare.text('bytes'), `${name}.memcmp.bytes`);
  return bytesAt(compare.integer('offset', 0, Number.MAX_SAFE_INTEGER), bytes);
}

export function bytesAt(offset: number, bytes: Uint8Array): AccountFilter {
  return (state) => state.data.subarray(offset, offset + bytes.length).equals(bytes);
}
