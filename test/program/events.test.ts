import assert from 'node:assert/strict';
import bs58 from 'bs58';
import { compilerVersion } from '../../adapters/ledger-solana/program/compile.ts';
import {
  eventAuthorityAddress,
  type InstructionKey,
  type ProgramInstruction,
  programErrorCode,
} from '../../adapters/ledger-solana/program/index.ts';
import { encodeFields } from '../../adapters/ledger-solana/program/layout/codec.ts';
import { EVENT_MARK, EVENT_NAMES, EVENTS } from '../../adapters/ledger-solana/program/layout/events.ts';
import { INSTRUCTION_NAMES } from '../../adapters/ledger-solana/program/layout/instructions.ts';
import { fixturesOf } from './support/fixtures.ts';
import { compileProxy, through } from './support/proxy.ts';
import { makeWallet } from './support/svm.ts';
import { SHORT_NUMBERS, World } from './support/world.ts';

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
/** What a cluster keeps of the logs of a transaction. */
const LOG_BYTES = 10_000n;

describe('events', () => {
  const world = new World();
  const { svm, deployment } = world;
  const fixtures = fixturesOf(world);
  const stranger = world.wallet();
  svm.raw.setLogBytesLimit(LOG_BYTES);

  it('come from every instruction, one each, except from those around an announcement', () => {
    for (const name of INSTRUCTION_NAMES) {
      const { instructions, signers } = fixtures[name]();
      const { events } = world.do(instructions, signers);
      assert.equal(events.length, name === 'announce' || name === 'retract' ? 0 : 1, name);
    }
  });

  it('are whole where the logs of their transaction are cut', () => {
    const { instructions, signers } = fixtures.deliver();
    const noise: ProgramInstruction = { programId: MEMO, keys: [], data: Buffer.from('x') };
    const { events, logs } = world.do([...Array.from({ length: 45 }, () => noise), ...instructions], signers);
    assert.ok(
      logs.some((line) => line === 'Log truncated'),
      'the logs were not cut: the test shows nothing',
    );
    assert.deepEqual(
      events.map(({ name }) => name),
      ['escrowDelivered'],
    );
  });

  it('of a transaction that failed are none', () => {
    const { instructions, signers } = fixtures.deliver();
    assert.deepEqual(svm.send([...instructions, ...instructions], signers).events, []);
  });

  describe('of strangers', () => {
    const authority = eventAuthorityAddress(deployment);
    const data = Buffer.concat([
      Buffer.from([EVENT_MARK, EVENT_NAMES.indexOf('agentOpened')]),
      bs58.decode(deployment.config),
      encodeFields(EVENTS.agentOpened, { key: stranger.address, agentId: stranger.address }),
    ]);
    const key = (address: string, signer = false): InstructionKey => ({ address, signer, writable: false });
    const forged = (keys: readonly InstructionKey[]) => [{ programId: svm.programId, keys, data }];
    const config = key(deployment.config);

    it('are refused, whatever accounts they name', () => {
      const elsewhere = world.deploy(SHORT_NUMBERS).config;
      const copy = world.wallet().address;
      svm.setAccount(copy, stranger.address, svm.account(deployment.config)!.data);
      world.refuse('missingSigner', forged([key(authority), config]), [stranger]);
      world.refuse('wrongAuthority', forged([key(stranger.address, true), config]), [stranger]);
      world.refuse('missingSigner', forged([key(authority), key(elsewhere)]), [stranger]);
      world.refuse('wrongAuthority', forged([key(stranger.address, true), key(elsewhere)]), [stranger]);
      world.refuse('wrongOwner', forged([key(stranger.address, true), key(copy)]), [stranger]);
      world.refuse('wrongOwner', forged([key(stranger.address, true), key(stranger.address)]), [stranger]);
      world.refuse('wrongAccountCount', forged([]), [stranger]);
      world.refuse('wrongAccountCount', forged([key(stranger.address, true)]), [stranger]);
      world.refuse('wrongAccountCount', forged([key(authority), config, key(stranger.address, true)]), [stranger]);
    });

    it('cannot be signed for: the runtime asks for the signature of the authority', () => {
      const outcome = svm.send(forged([key(authority, true), config]), [stranger]);
      assert.ok(outcome.error?.startsWith('transaction '), outcome.error);
    });

    it('are those of their own program where they deploy ours again', () => {
      const [first, second] = [svm.programId, world.wallet().address];
      assert.notEqual(
        eventAuthorityAddress({ ...deployment, programId: first }),
        eventAuthorityAddress({ ...deployment, programId: second }),
      );
    });
  });

  describe('through another program', () => {
    const proxy = makeWallet().address;

    before(function () {
      if (compilerVersion() === undefined) {
        process.stdout.write('      SKIPPED: needs clang-14 to make another program\n');
        this.skip();
      }
      svm.raw.addProgram(bs58.decode(proxy), compileProxy());
    });

    it('are told as ever', () => {
      const { instructions, signers } = fixtures.deliver();
      const { events } = world.do([through(proxy, instructions.at(-1)!)], signers);
      assert.deepEqual(
        events.map(({ name }) => name),
        ['escrowDelivered'],
      );
    });

    it('cannot be forged: it has no signature of the authority to pass on', () => {
      const authority = eventAuthorityAddress(deployment);
      const keys = [authority, deployment.config].map((address) => ({ address, signer: false, writable: false }));
      const forged = { programId: svm.programId, keys, data: Buffer.from([EVENT_MARK, 0]) };
      assert.equal(svm.send([through(proxy, forged)], [stranger]).error, `custom ${programErrorCode('missingSigner')}`);
      const claimed = svm.send([through(proxy, forged, authority)], [stranger]);
      assert.ok(
        claimed.logs.some((line) => line.includes('privilege escalated')),
        claimed.logs.join('\n'),
      );
    });
  });

  it('are bound to the authority of their own config', () => {
    const elsewhere = world.deploy(SHORT_NUMBERS);
    const { instructions, signers } = fixtures.setAgentId();
    const swap = (address: string) =>
      address === eventAuthorityAddress(deployment) ? eventAuthorityAddress(elsewhere) : address;
    const changed = instructions.map((one) => ({
      ...one,
      keys: one.keys.map((entry) => ({ ...entry, address: swap(entry.address) })),
    }));
    world.refuse('wrongProgram', changed, signers);
  });
});
