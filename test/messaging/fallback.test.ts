import assert from 'node:assert/strict';
import { type Carrier, Fallback, type StrandedLetter } from '../../core/messaging/fallback.ts';

const LETTER: StrandedLetter = { id: '00'.repeat(32), recipient: 'r', envelope: new Uint8Array(1), readable: false };

describe('a carrier of envelopes that a plugin brought', () => {
  const CARRIERS: [what: string, carrier: object][] = [
    [
      'throws',
      {
        waits() {
          throw new Error('away');
        },
        leave() {
          throw new Error('away');
        },
      },
    ],
    ['rejects', { waits: () => Promise.reject(new Error('away')), leave: () => Promise.reject(new Error('away')) }],
    ['answers nothing', { waits() {}, leave() {} }],
    ['lacks what it should have', {}],
  ];
  for (const [what, carrier] of CARRIERS) {
    it(`and that ${what} costs nobody an envelope`, async () => {
      const fallback = new Fallback();
      fallback.use(carrier as Carrier);
      assert.equal(await fallback.waits('r'), false);
      assert.deepEqual(await fallback.leave(LETTER), { held: false });
    });
  }
});
