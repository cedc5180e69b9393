import assert from 'node:assert/strict';
import type { ForeignEffects, ForeignTransaction } from '../../core/ledger/foreign.ts';
import { refusalsOf } from '../../core/ledger/foreign-terms.ts';

const SYSTEM = '11111111111111111111111111111111';
const ASSETS = 'CoREENxT6tW1HoK8ypY1SxRMZTcVPm7R94rH4PZNhX7d';
const rules = { wallet: 'me', settlement: 'mesh', may: (program: string) => program === 'granted' };
const plain: ForeignTransaction = {
  version: 0,
  feePayer: 'me',
  signers: [{ address: 'me', signed: false }],
  instructions: [{ program: SYSTEM, accounts: ['me', 'you'], data: Uint8Array.of(2, 0, 0, 0) }],
  programs: [SYSTEM],
  owners: [SYSTEM],
};
const none: ForeignEffects = { lamports: 0n, tokens: new Map(), faults: [] };
const of = (change: Partial<ForeignTransaction>, effects: Partial<ForeignEffects> = {}, terms = {}) =>
  refusalsOf({ ...plain, ...change }, { ...none, ...effects }, terms, rules);

describe('the terms of a foreign transaction', () => {
  it('are kept by one that does nothing', () => assert.deepEqual(of({}), []));

  it('are broken by a nonce, with which it would never end', () => {
    const instructions = [{ program: SYSTEM, accounts: [], data: Uint8Array.of(4, 0, 0, 0) }];
    assert.deepEqual(of({ instructions }), ['has no end to its validity']);
  });

  it('are broken by accounts of the settlement program and of what no balance shows, even where only their owner tells', () => {
    assert.deepEqual(of({ owners: ['mesh'] }), ['could change an account of the settlement program']);
    assert.deepEqual(of({ owners: [ASSETS] }), ['could change registry assets']);
    assert.deepEqual(of({ programs: ['granted'] }), []);
    assert.match(
      of({ programs: ['other'] })[0]!,
      /could call other, for which the permission money:sign:other is missing/,
    );
  });

  it('name every fault at once', () => {
    const tokens = new Map([['usdc', -3n]]);
    const faults = of({ feePayer: 'you', programs: ['other'] }, { lamports: -9n, tokens, faults: ['lets x spend'] });
    assert.deepEqual(faults.length, 5);
  });

  it('tell the ledger’s own reason where it would fail', () => {
    assert.deepEqual(of({}, { error: '"AccountNotFound"' }), ['would fail: "AccountNotFound"']);
  });

  it('bound each mint by itself', () => {
    const tokens = new Map([
      ['in', 5n],
      ['out', -5n],
    ]);
    assert.deepEqual(of({}, { tokens }, { spend: { tokens: { out: 5n } }, receive: { tokens: { in: 5n } } }), []);
    assert.deepEqual(of({}, { tokens }, { spend: { tokens: { out: 4n } }, receive: { tokens: { in: 6n } } }), [
      'gives 5 of in, and 6 is the least',
      'takes 5 of out, and 4 is allowed',
    ]);
  });
});
