import assert from 'node:assert/strict';
import bs58 from 'bs58';
import fc from 'fast-check';
import {
  Attestation,
  CHAINS,
  chainOf,
  Gateway,
  platformFee,
  readBurnMessage,
  SETTLEMENT_VERSION,
  SettlementError,
  UsdcAmount,
} from '../../plugins/billing/settlement/index.ts';
import { AttestationStandIn } from '../upstreams/transfer/attestation-service.ts';
import { GatewayStandIn } from '../upstreams/transfer/gateway-service.ts';

const DEPOSITOR = `0x${'4d'.repeat(20)}`;
const HASH = bs58.encode(Buffer.alloc(64, 5));

describe('the settlement library', () => {
  let gateway: GatewayStandIn;
  let service: AttestationStandIn;
  before(async () => {
    gateway = await GatewayStandIn.start();
    service = await AttestationStandIn.start(() => 'http://127.0.0.1:9');
  });
  after(async () => {
    await gateway.stop();
    await service.stop();
  });
  afterEach(() => assert.deepEqual(gateway.complaints, []));

  it('is version 0.1.0, with the domain ids of the specification', () => {
    assert.equal(SETTLEMENT_VERSION, '0.1.0');
    const ids = CHAINS.map(({ domainId }) => domainId);
    assert.deepEqual(ids, [0, 1, 2, 3, 5, 6, 7, 11, 12, 16, 25, 1420, 64165, 65536]);
    assert.throws(() => chainOf(4), RangeError);
  });

  it('UsdcAmount: 64 bits of minor units, six decimals, exactly', () => {
    assert.equal(UsdcAmount.parse('1.5').minor, 1_500_000n);
    assert.equal(String(new UsdcAmount(1_500_000n)), '1.5');
    assert.equal(String(new UsdcAmount(2n ** 64n - 1n)), '18446744073709.551615');
    for (const text of ['', '1.', '.5', '-1', '1e3', '1.0000001', '18446744073709.551616', ' 1', '0x1'])
      assert.throws(() => UsdcAmount.parse(text), RangeError, text);
    for (const minor of [-1n, 2n ** 64n]) assert.throws(() => new UsdcAmount(minor), RangeError);
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (minor) => {
        assert.equal(UsdcAmount.parse(String(new UsdcAmount(minor))).minor, minor);
      }),
    );
  });

  it('the platform takes 1 %, of which a tenth is for the provider; the odd unit is the treasury’s', () => {
    assert.deepEqual(platformFee(100_000_000n), { fee: 1_000_000n, treasury: 900_000n, provider: 100_000n });
    assert.deepEqual(platformFee(1_999n), { fee: 19n, treasury: 18n, provider: 1n });
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (amount) => {
        const { fee, treasury, provider } = platformFee(amount);
        assert.ok(treasury + provider === fee && fee * 100n <= amount && provider * 10n <= fee);
      }),
    );
  });

  it('Gateway: info(), balances(), verifyDeposit(), by the ids of the table', async () => {
    const client = new Gateway({ url: gateway.url });
    const info = await client.info();
    assert.deepEqual(
      info.map(({ domainId, name, tokens }) => [domainId, name, tokens.length]),
      [
        [6, 'Base', 1],
        [12, 'Sei', 0],
        [undefined, 'Codex', 0],
      ],
    );
    gateway.balances.set(
      DEPOSITOR,
      new Map([
        [6, '12.5'],
        [16, '0.000001'],
      ]),
    );
    const found = await client.balances('USDC', DEPOSITOR, [12]);
    assert.deepEqual(
      found.map(({ domainId, balance }) => [domainId, balance.minor]),
      [[12, 1n]],
      'sei is 16 on the wire',
    );
    const usdc = (text: string) => UsdcAmount.parse(text);
    assert.equal((await client.verifyDeposit(DEPOSITOR, usdc('2.5'), usdc('10'), [6])).arrived, true);
    assert.equal((await client.verifyDeposit(DEPOSITOR, usdc('2.500002'), usdc('10'))).arrived, false);
    assert.equal((await client.verifyDeposit(DEPOSITOR, usdc('2.500001'), usdc('10'))).arrived, true);
  });

  it('Attestation: getFees() and estimateSettlement(), fast by default, standard as the fallback', async () => {
    const client = new Attestation({ url: service.url });
    assert.deepEqual(await client.getFees(5, 64165), [
      { finality: 1_000, milliBps: 1_300n },
      { finality: 2_000, milliBps: 0n },
    ]);
    assert.equal(service.calls.at(-1), '/v2/burn/USDC/fees/5/13', 'the number of the service for sonic');
    const amount = UsdcAmount.parse('100');
    const fast = await client.estimateSettlement(5, 6, amount);
    assert.deepEqual([fast.speed, String(fast.totalFee), String(fast.received)], ['fast', '1.21287', '98.78713']);
    const slow = await client.estimateSettlement(5, 6, amount, 'standard');
    assert.deepEqual([slow.speed, String(slow.totalFee), slow.seconds.most], ['standard', '1.2', 780]);
    const { fees } = service;
    service.fees = fees.slice(1);
    assert.equal((await client.estimateSettlement(5, 6, amount)).speed, 'standard');
    service.fees = [];
    await assert.rejects(client.estimateSettlement(5, 6, amount), /no transfer between/);
    service.fees = fees;
  });

  it('waitForAttestation() pauses 5, 10, 20, 40, 60, 60 seconds, and goes on over what passes', async () => {
    const pauses: number[] = [];
    const client = new Attestation({
      url: service.url,
      async sleep(ms) {
        pauses.push(ms / 1_000);
        if (pauses.length === 2) service.failNext('/v2/messages', { status: 503 });
        if (pauses.length === 3) service.failNext('/v2/messages', { status: 429 });
        if (pauses.length === 4) service.failNext('/v2/messages', 'malformed');
      },
    });
    service.progress = 'unseen';
    await assert.rejects(client.waitForAttestation(5, HASH, 5, 3), /after 3 attempts/);
    pauses.length = 0;
    await assert.rejects(client.waitForAttestation(5, HASH, 5, 8), /no JSON/);
    assert.deepEqual(pauses, [5, 10, 20, 40]);
    service.failNext('/v2/messages', { status: 400 });
    await assert.rejects(client.waitForAttestation(5, HASH), { name: 'SettlementError', status: 400 });
    pauses.length = 4;
    await assert.rejects(client.waitForAttestation(5, HASH, 5, 8), /after 8 attempts/);
    assert.deepEqual(pauses.slice(4), [5, 10, 20, 40, 60, 60, 60]);
  });

  it('refuses every answer of another shape by a SettlementError that names no URL', async () => {
    const client = new Gateway({ url: gateway.url });
    for (const body of [
      '[]',
      'null',
      '{"balances":{}}',
      '{"balances":[{"domain":6,"depositor":"x","balance":12}]}',
      '{',
    ]) {
      gateway.next = body;
      await assert.rejects(client.balances('USDC', DEPOSITOR), (error: unknown) => {
        assert.ok(error instanceof SettlementError && !error.message.includes('127.0.0.1'), String(error));
        return true;
      });
    }
    const away = new Attestation({ url: 'http://127.0.0.1:9' });
    await assert.rejects(away.getFees(5, 6), /did not answer/);
  });

  it('reads no message out of other bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const found = readBurnMessage(bytes);
        if (found) assert.equal(Buffer.from(bytes).readUInt32BE(0), 1);
      }),
    );
  });
});
