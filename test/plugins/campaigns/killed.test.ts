import assert from 'node:assert/strict';
import { type Doom, Lives } from '../../money/lives.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { happens } from '../../support/happens.ts';
import { PluginAggregator } from '../support/aggregator.ts';

const SECRET = 'an-operator-secret-of-tests';
const DOOMS: readonly Doom[] = [1, 2, 3].flatMap((at) =>
  [false, true].map((after) => ({ seam: 'commit' as const, at, after })),
);

describe('a campaign whose answer was lost', function () {
  this.timeout(60_000);
  const clock = new BriskClock();
  const lives = new Lives(clock, () => {});
  let at: PluginAggregator;
  before(async () => {
    const adapters = () => lives.begin('aggregator');
    at = await PluginAggregator.start({ clock, adapters, plugins: { campaigns: { operatorSecret: SECRET } } });
  });
  after(() => at?.stop());

  it('is the same one when it is asked for again, and never said to be over when it was announced', async () => {
    let announced = 0;
    for (const [index, doom] of DOOMS.entries()) {
      const title = `campaign ${index}`;
      const body = {
        ...{ data_type: 'audio', payout_usdc_micro: 50_000, title },
        expires_at: Math.floor(clock.now() / 1_000) + 15,
      };
      const headers = { authorization: `Bearer ${SECRET}`, 'idempotency-key': `campaign-${index}` };
      const make = () => at.call('POST /campaigns', { body, headers });
      const life = lives.of('aggregator');
      life.arm(doom);
      await make().catch(() => undefined);
      life.die();
      await at.halt().catch(() => undefined);
      // The claim of the killed process on its call has run out.
      clock.shift(20_000);
      await at.begin();
      const answer = await happens('the call is answered', async () => {
        const found = await make();
        return found.status === 503 || found.body.code === 'request_in_progress' ? undefined : found;
      });
      const all: any[] = (await at.call('GET /campaigns?include_expired=true')).body;
      const ids = all.filter((one) => one.title === title).map(({ id }) => id);
      const told = answer.status === 201 ? [answer.body.id] : [];
      assert.deepEqual(ids, told, `${JSON.stringify(doom)}: ${JSON.stringify(answer.body)}`);
      announced += told.length;
    }
    assert.ok(announced > 0);
  });
});
