import assert from 'node:assert/strict';
import { MeshError } from '../../core/contracts/errors.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { Signing } from '../../plugins/launchpad/signing.ts';
import { KeptLog } from '../support/kept-log.ts';

describe('a transaction of the launchpad', () => {
  it('that does something else by the time it is to be signed is logged, too', async () => {
    const log = new KeptLog();
    const refusals = ['takes 7 lamports, and 5 is allowed'];
    const signing = new Signing({
      log,
      clock: systemClock,
      programs: [],
      transactions: {
        // The first rehearsal found nothing wrong.
        inspect: async () => ({ refusals: [], programs: [], lamports: -5n, tokens: {}, feePayer: 'me', signers: [] }),
        send: async () => {
          throw new MeshError('transaction_refused', { detail: 'It was not signed.', extra: { refusals } });
        },
      } as never,
      accounts: {} as never,
      self: {} as never,
    });
    const sent = signing.send({ key: 'k', transaction: 'AA==' }, async () => ({ type: 'swap', action: 'buy' }));
    await assert.rejects(sent, { code: 'transaction_refused' });
    assert.deepEqual(log.warnings, [{ fields: { refusals }, text: 'a transaction of the launchpad was refused' }]);
  });
});
