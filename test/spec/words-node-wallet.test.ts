import assert from 'node:assert/strict';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { newWallet } from '../support/wallet.ts';
import { hasMembers } from './support/words.ts';

/** The rows of the specification about the wallet, by its own paths, names and values. */
describe('the wallet in the words of the specification', function () {
  this.timeout(60_000);
  let mesh: Mesh<'one'>;
  let one: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['one'], usdc: { one: '3.25' } });
    one = mesh.nodes.one;
  });
  after(() => mesh.stop());

  it('POST /wallet/sweep takes `destination` and answers `signature`, `amount_usdc`, `destination`', async () => {
    const destination = newWallet().address;
    const { status, body } = await one.post('/wallet/sweep', { destination });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(typeof body.signature, 'string');
    assert.equal(body.amount_usdc, 3.25);
    assert.equal(body.destination, destination);
  });

  it('POST /wallet/sweep says that `destination` is a wallet', async () => {
    const { status, body } = await one.post('/wallet/sweep', { destination: 'home' });
    assert.equal(status, 400);
    assert.match(body.detail, /^\/destination .*: The wallet that gets the USDC: 32 bytes in base58/);
  });

  it('POST /wallet/sweep needs the API secret', async () => {
    const answer = await one.post(
      '/wallet/sweep',
      { destination: newWallet().address },
      { authorization: 'Bearer no' },
    );
    assert.equal(answer.status, 401);
  });

  it('GET /portfolio/history tells of the sweep', async () => {
    const [event] = await happens('an event', async () => {
      const { events } = (await one.get('/portfolio/history')).body;
      return events.length > 0 ? events : undefined;
    });
    hasMembers(event, { id: 'string', type: ['transfer'], amount_usdc: ['3.25'], txid: 'string', timestamp: 'string' });
  });

  it('an empty wallet answers `insufficient_funds`', async () => {
    const { status, body } = await one.post('/wallet/sweep', { destination: newWallet().address });
    assert.deepEqual([status, body.code, body.error], [402, 'insufficient_funds', 'insufficient_funds']);
  });

  it('POST /wallet/x402/pay is capped at 10 USDC', async () => {
    const accepts = [
      {
        ...{ scheme: 'exact', network: 'solana-localnet', maxAmountRequired: '10000001', maxTimeoutSeconds: 60 },
        asset: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
        ...{ payTo: newWallet().address, extra: { feePayer: newWallet().address } },
      },
    ];
    const payment_required_b64 = Buffer.from(JSON.stringify({ x402Version: 1, accepts })).toString('base64');
    const { status, body } = await one.post('/wallet/x402/pay', { payment_required_b64 });
    assert.deepEqual([status, body.code, body.max_micro], [403, 'spending_cap', 10_000_000]);
  });
});
