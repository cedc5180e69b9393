import assert from 'node:assert/strict';
import bs58 from 'bs58';
import {
  agentState,
  type Deployment,
  decodeAccount,
  decodeEvent,
  ed25519Instruction,
  envelopeStatement,
  eventsInInstructions,
  leaseStatus,
  networkHash,
  ownerStatement,
  ownerText,
  PROGRAM_ERRORS,
  PROTOCOL_NUMBERS,
  type ProgramErrorName,
  programErrorCode,
  programErrorName,
} from '../../adapters/ledger-solana/program/index.ts';
import { ACCOUNTS } from '../../adapters/ledger-solana/program/layout/accounts.ts';
import { decodeFields, encodeFields } from '../../adapters/ledger-solana/program/layout/codec.ts';
import { EVENT_MARK, EVENT_NAMES, EVENTS } from '../../adapters/ledger-solana/program/layout/events.ts';
import { type Fields, placed, sizeOf } from '../../adapters/ledger-solana/program/layout/fields.ts';
import { INSTRUCTION_NAMES, INSTRUCTIONS } from '../../adapters/ledger-solana/program/layout/instructions.ts';
import { header, idOf, treeOf } from './support/envelopes.ts';
import { makeWallet } from './support/svm.ts';

function address(byte: number): string {
  return bs58.encode(Buffer.alloc(32, byte));
}

/** Values that differ in every byte, for any declaration without tables. */
function sample(fields: Fields): Record<string, unknown> {
  let next = 1;
  const bytes = (length: number) => Uint8Array.from({ length }, () => next++ % 251 || 1);
  return Object.fromEntries(
    placed(fields).map(({ name, type, size }) => {
      if (type === 'key') return [name, bs58.encode(bytes(32))];
      if (type === 'text64') return [name, 'ein Netz – 網'];
      if (type === 'u64') return [name, Buffer.from(bytes(8)).readBigUInt64LE()];
      if (type === 'u8' || type === 'u16' || type === 'u32')
        return [name, Buffer.from(bytes(size)).readUIntLE(0, size)];
      return [name, bytes(size)];
    }),
  );
}

describe('the client of the program', () => {
  it('writes and reads every argument list and event alike', () => {
    const declared = [
      ...INSTRUCTION_NAMES.map((name) => INSTRUCTIONS[name].args),
      ...EVENT_NAMES.map((name) => EVENTS[name]),
    ];
    for (const fields of declared as Fields[]) {
      const values = sample(fields);
      assert.deepEqual(decodeFields(fields, encodeFields(fields, values as never)), values);
    }
  });

  it('refuses values that do not fit', () => {
    const fields = {
      small: ['u8', ''],
      large: ['u64', ''],
      who: ['key', ''],
      name: ['text64', ''],
      id: ['hash', ''],
    } as const;
    const good = { small: 255, large: 2n ** 64n - 1n, who: address(1), name: 'x', id: Buffer.alloc(32) };
    assert.equal(encodeFields(fields, good).length, sizeOf(fields));
    const wrong: Partial<Record<keyof typeof good, unknown>>[] = [
      { small: 256 },
      { small: -1 },
      { small: 1.5 },
      { large: -1n },
      { large: 2n ** 64n },
      { large: 5 },
      { who: '11' },
      { name: '' },
      { name: 'ä'.repeat(33) },
      { id: Buffer.alloc(31) },
    ];
    for (const change of wrong) assert.throws(() => encodeFields(fields, { ...good, ...change } as never), RangeError);
    assert.throws(() => decodeFields(fields, Buffer.alloc(sizeOf(fields) - 1)), RangeError);
  });

  it('reads an account only when program, kind and size are right', () => {
    const data = Buffer.alloc(sizeOf(ACCOUNTS.agent.fields));
    data.write(ACCOUNTS.agent.discriminator, 'latin1');
    const account = { owner: address(7), data };
    assert.equal(agentState(decodeAccount(address(7), 'agent', account)!), 'none');
    assert.equal(decodeAccount(address(8), 'agent', account), undefined);
    assert.equal(decodeAccount(address(7), 'escrow', account), undefined);
    assert.equal(decodeAccount(address(7), 'agent', { ...account, data: data.subarray(1) }), undefined);
    assert.equal(decodeAccount(address(7), 'agent', { ...account, data: Buffer.alloc(data.length) }), undefined);
  });

  it('tells the lease status from account and clock alone', () => {
    const agent = (paidThrough: bigint) => ({ paidThrough }) as Parameters<typeof leaseStatus>[0];
    const config = PROTOCOL_NUMBERS as Parameters<typeof leaseStatus>[1];
    const status = (paidThrough: bigint, epoch: bigint) =>
      leaseStatus(agent(paidThrough), config, epoch * 86_400n + 5n);
    assert.deepEqual(
      [
        status(0n, 100n),
        status(130n, 100n),
        status(100n, 100n),
        status(99n, 100n),
        status(97n, 100n),
        status(96n, 100n),
      ],
      ['none', 'active', 'active', 'grace', 'grace', 'deactivated'],
    );
  });

  it('names every error of the program and no other', () => {
    for (const name of Object.keys(PROGRAM_ERRORS) as ProgramErrorName[])
      assert.equal(programErrorName(programErrorCode(name)), name);
    assert.equal(programErrorName(1), undefined);
    assert.equal(programErrorName(99), undefined);
    assert.equal(programErrorName(100 + Object.keys(PROGRAM_ERRORS).length), undefined);
  });
});

describe('events in instructions', () => {
  const ours = makeWallet().address;
  const other = makeWallet().address;
  const fields = EVENTS.agentOpened;
  const values = { key: address(1), agentId: address(2) };
  const code = EVENT_NAMES.indexOf('agentOpened');
  const bytes = Buffer.concat([Buffer.from([EVENT_MARK, code]), Buffer.alloc(32, 9), encodeFields(fields, values)]);
  const event = { name: 'agentOpened', config: address(9), values };

  it('are those of our program, in order, whoever called it', () => {
    const executed = [
      { programId: other, data: bytes },
      { programId: ours, data: Buffer.from([3, 4]) },
      { programId: ours, data: bytes },
      { programId: other, data: Buffer.alloc(0) },
      { programId: ours, data: bytes },
    ];
    assert.deepEqual(eventsInInstructions(ours, executed), [event, event]);
  });

  it('are known by mark, code and length', () => {
    assert.deepEqual(decodeEvent(bytes), event);
    for (const wrong of [
      bytes.subarray(0, -1),
      bytes.subarray(1),
      Buffer.concat([bytes, Buffer.alloc(1)]),
      Buffer.from([EVENT_MARK, EVENT_NAMES.length, ...bytes.subarray(2)]),
      Buffer.from([EVENT_MARK]),
      new Uint8Array(),
    ])
      assert.equal(decodeEvent(wrong), undefined);
  });

  it('carry a mark that no instruction has', () => {
    assert.ok(INSTRUCTION_NAMES.length <= EVENT_MARK);
  });
});

describe('statements', () => {
  const deployment: Deployment = { programId: address(2), config: address(3), mint: address(4), treasury: address(5) };
  const network = networkHash(deployment, { genesisHash: Buffer.alloc(32, 1), networkId: 'test' });

  it('name the network as the protocol does', () => {
    assert.equal(network.toString('hex'), 'f2263e8d55dc89ea53ec1f769cbdaabf0b377f3588becaa3b9a1e1bfbd6d40e8');
  });

  it('have the lengths and tags of their domains, so that none can be taken for another', () => {
    const envelope = envelopeStatement(network, header({ sender: address(6), epoch: 20_254n, seq: 1 }));
    const claim = {
      network,
      agentId: address(6),
      key: address(7),
      owner: address(8),
      nonce: Buffer.alloc(8, 1),
      expires: 9n,
    };
    const owner = ownerStatement(claim);
    assert.deepEqual([envelope.length, owner.length], [198, 132]);
    assert.equal(envelope.toString('latin1', 0, 23), '\xffagent-mesh/envelope/2\0');
    assert.equal(owner.toString('latin1', 0, 20), '\xffagent-mesh/owner/1\0');
    assert.throws(() => envelopeStatement(network, Buffer.alloc(142)), RangeError);
    assert.equal(ownerText(claim).split('\n').length, 10);
    assert.ok(ownerText(claim).startsWith('agent-mesh ownership claim\n'));
    assert.notEqual(ownerText(claim).charCodeAt(0), 0xff);
  });

  it('are proven in exactly the shape the protocol fixes', () => {
    const { data } = ed25519Instruction(address(1), Buffer.alloc(64, 2), Buffer.alloc(198, 3));
    assert.equal(data.length, 310);
    assert.equal(Buffer.from(data.subarray(0, 16)).toString('hex'), '01003000ffff1000ffff7000c600ffff');
  });

  it('give the published ids and roots', () => {
    const first = Buffer.from(
      '02000303a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b82222222222222222222222222222222222222222' +
        '2222222222222222222222220006379da05b6000000000000ee6b28000000013c7800001000102030405060708090a0b0c0d0e0f02d2b5' +
        '83b37581227f9c570231539ddfedb25ef4a3e5e5b740c9917c918d251d0000002f',
      'hex',
    );
    const leaves = [1n, 2n, 3n].map((seq) => {
      const bytes = Buffer.from(first);
      bytes.writeBigUInt64BE((20_254n << 22n) | seq, 83);
      return idOf(bytes);
    });
    assert.equal(leaves[0]!.toString('hex'), '66c673539e8fab6625c583adcddb5a84bb1a3b010abfd584391d5b4a856b3db0');
    assert.equal(
      treeOf(leaves).root.toString('hex'),
      'b89eb56b71e3957ab1aa777ef0d0b725bc2d00a78a53ea1fae1663268e4a9162',
    );
    assert.ok(treeOf(leaves.slice(0, 1)).root.equals(leaves[0]!));
  });
});
