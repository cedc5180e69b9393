import assert from 'node:assert/strict';
import { createIngest, type Ingest } from '../../core/aggregator/ingest/ingest.ts';
import type { IngestItem } from '../../core/aggregator/ingest/item.ts';
import { Verifier } from '../../core/messaging/verification/verifier.ts';
import { toBase64 } from '../../core/platform/bytes.ts';
import { silentLog } from '../../core/platform/log.ts';
import { proofBytesOf } from '../../core/protocol/envelopes/receipt.ts';
import { network, newConversation, TestAgent, type Wire } from './support/agent.ts';
import { type Domain, openDomain } from './support/domain.ts';

const NOTHING = () => {};
const OF_A_KEY = 10;
const STRANGER = { ip: '198.51.100.9' };

describe('copies of messages that a stranger reports', () => {
  const verifier = new Verifier();
  let domain: Domain;
  let agent: TestAgent;
  let verified: number;
  let ingest: Ingest;
  beforeEach(async () => {
    domain = await openDomain();
    agent = new TestAgent('ann', () => domain.clock.now());
    verified = 0;
    const { space, epochs, clock } = domain;
    const counting = {
      verifyAll(list: Parameters<Verifier['verifyAll']>[0]) {
        verified += list.length;
        return verifier.verifyAll(list);
      },
    };
    ingest = createIngest({
      ...{ space, network, epochs, verifier: counting as Verifier, clock, log: silentLog },
      handling: { keeps: () => false, keep: NOTHING, recorded: NOTHING },
      limits: { newKeysPerHour: 100, newKeysPerHourInAll: 100, itemsPerKeyPerMinute: OF_A_KEY },
      ...{ counted: NOTHING, dropped: NOTHING, recorded: NOTHING, putOff: NOTHING },
    });
    await ingest([itemOf(agent.beacon('ann'))], STRANGER);
  });
  afterEach(() => domain.store.close());
  after(() => verifier.close());

  const itemOf = ({ whole }: Wire): IngestItem => ({
    kind: 'envelope',
    bytes: new Uint8Array(Buffer.from(whole.envelope_b64, 'base64')),
  });
  const discover = () => agent.sign('DISCOVER', { payload: { query: 'translate' } });
  const tell = async (...items: IngestItem[]) => (await ingest(items, STRANGER)).map(({ status }) => status);
  /** Fills what the key may still report in this minute, and says how much that was. */
  async function room(): Promise<number> {
    const answers = await tell(...Array.from({ length: 2 * OF_A_KEY }, () => itemOf(discover())));
    return answers.filter((status) => status === 'accepted').length;
  }

  it('take nothing of what its key may report, however many come before the first is recorded', async () => {
    const item = itemOf(discover());
    const copies = Array.from({ length: 2 * OF_A_KEY }, () => item);
    const answers = (await Promise.all([1, 2, 3, 4].map(() => tell(...copies)))).flat();
    assert.deepEqual(answers.toSorted(), ['accepted', ...Array(8 * OF_A_KEY - 1).fill('duplicate')]);
    assert.equal(await room(), OF_A_KEY - 2, 'but for the BEACON and the message itself');
  });

  it('are answered as the first is, which the bounds of its key refuse', async () => {
    await room();
    const item = itemOf(discover());
    assert.deepEqual(await tell(item, item), ['rate-limited', 'rate-limited']);
  });

  it('of the second envelope under a nonce are in conflict without being judged again', async () => {
    const nonce = domain.epochs.at(domain.clock.now()) * 2 ** 22 + 900;
    const conversation = newConversation();
    const [one, other, third] = ['one', 'two', 'three'].map((reason) =>
      agent.sign('REJECT', { to: new TestAgent('ben'), conversation, payload: { reason }, nonce }),
    ) as [Wire, Wire, Wire];
    assert.deepEqual(await tell(itemOf(one), itemOf(other)), ['accepted', 'conflict']);
    const before = verified;
    for (let round = 0; round < 3 * OF_A_KEY; round++) {
      const [result] = await ingest([itemOf(other)], STRANGER);
      assert.deepEqual([result!.status, result!.held_b64], ['conflict', toBase64(proofBytesOf(one.envelope))]);
    }
    assert.equal(verified, before);
    assert.deepEqual(await tell(itemOf(third)), ['conflict']);
    assert.equal(verified, before + 1, 'a third one is not kept, so it is judged');
    assert.equal(await room(), OF_A_KEY - 4);
  });
});
