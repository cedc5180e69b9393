import assert from 'node:assert/strict';
import { ACK_REASONS } from '../../core/protocol/envelopes/ack.ts';
import {
  isBroadcast,
  isSpoken,
  MESSAGE_TYPES,
  messageType,
  messageTypeOfCode,
  parseMessageName,
} from '../../core/protocol/envelopes/message-types.ts';
import { schemaEnum } from './schemas.ts';

describe('message types', () => {
  it('have the codes of the protocol, from 1 to 16', () => {
    const codes = MESSAGE_TYPES.map((type) => type.code);
    assert.deepEqual(
      codes,
      Array.from({ length: 16 }, (_, index) => index + 1),
    );
    for (const type of MESSAGE_TYPES) {
      assert.equal(messageTypeOfCode(type.code), type);
      assert.equal(messageType(type.name), type);
    }
    assert.equal(messageTypeOfCode(0), undefined);
    assert.equal(messageTypeOfCode(17), undefined);
  });

  it('are the ones the schema names, and so are the answers to an envelope', () => {
    assert.deepEqual(
      schemaEnum('message-type'),
      MESSAGE_TYPES.map((type) => type.name),
    );
    assert.deepEqual(schemaEnum('ack-reason'), ACK_REASONS);
  });

  it('are read in either case', () => {
    assert.equal(parseMessageName('propose'), 'PROPOSE');
    assert.equal(parseMessageName('Notarize_Bid'), 'NOTARIZE_BID');
    for (const text of ['', 'PROPOSE ', 'constructor', '__proto__', 'x'.repeat(1e6)]) {
      assert.equal(parseMessageName(text), undefined);
    }
  });

  it('go to everybody or to one agent', () => {
    assert.deepEqual(
      MESSAGE_TYPES.filter((type) => isBroadcast(type.name)).map((type) => type.name),
      ['ADVERTISE', 'DISCOVER', 'NOTARIZE_BID', 'FEEDBACK', 'BEACON', 'BROADCAST', 'BOUNTY'],
    );
  });

  it('are shown whole to aggregators when they are public or judge somebody', () => {
    assert.deepEqual(
      MESSAGE_TYPES.filter((type) => type.report === 'receipt').map((type) => type.name),
      ['PROPOSE', 'COUNTER', 'ACCEPT', 'REJECT', 'DELIVER', 'MESSAGE'],
    );
  });

  it('of version 1 have no MESSAGE, on the wire either', () => {
    assert.deepEqual(
      MESSAGE_TYPES.filter((type) => !isSpoken(type.name, 1)).map((type) => type.name),
      ['MESSAGE'],
    );
    assert.ok(MESSAGE_TYPES.every((type) => isSpoken(type.name, 2)));
  });
});
