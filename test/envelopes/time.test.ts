import assert from 'node:assert/strict';
import { formatMicros } from '../../core/protocol/envelopes/time.ts';

describe('the time of an envelope', () => {
  it('has six decimals', () => {
    assert.equal(formatMicros(1_750_000_000_000_000), '2025-06-15T15:06:40.000000Z');
    assert.equal(formatMicros(1_750_000_000_123_456), '2025-06-15T15:06:40.123456Z');
    assert.equal(formatMicros(1), '1970-01-01T00:00:00.000001Z');
  });
});
