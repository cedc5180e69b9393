import assert from 'node:assert/strict';
import {
  accusationAddress,
  accusationCommitment,
  agentAddress,
  announce,
  announcementAddress,
  type Deployment,
  escrowAddress,
  type InstructionKey,
  lockEscrow,
  openAgent,
  type ProgramInstruction,
  SYSTEM_PROGRAM,
} from '../../adapters/ledger-solana/program/index.ts';
import { INSTRUCTION_NAMES, INSTRUCTIONS } from '../../adapters/ledger-solana/program/layout/instructions.ts';
import type { AccountKind, AccountRole } from '../../adapters/ledger-solana/program/layout/roles.ts';
import { accusedAgent } from './support/agents.ts';
import { fixturesOf, type Prepared } from './support/fixtures.ts';
import { makeWallet } from './support/svm.ts';
import { SHORT_NUMBERS, World } from './support/world.ts';

/** Kinds whose accounts the program owns, and what another account of the program in their place is told. */
const STATE_KINDS: readonly AccountKind[] = ['config', 'escrow', 'agent', 'announcement', 'accusation'];

const FIXED_KINDS: readonly AccountKind[] = [
  ...(['tokenProgram', 'systemProgram', 'instructionsSysvar', 'program', 'eventAuthority'] as const),
];

describe('every instruction', () => {
  const world = new World();
  const { svm } = world;
  const fixtures = fixturesOf(world);
  const stranger = world.wallet();
  const elsewhere = world.deploy(SHORT_NUMBERS);
  const foreign = foreignAccounts(world, elsewhere);

  /** Sends with the last instruction changed; signers that no longer sign anything are left out. */
  function sendChanged(prepared: Prepared, change: (instruction: ProgramInstruction) => ProgramInstruction) {
    const instructions = [...prepared.instructions.slice(0, -1), change(prepared.instructions.at(-1)!)];
    const signing = new Set(
      instructions.flatMap(({ keys }) => keys.filter((key) => key.signer).map((key) => key.address)),
    );
    const [payer, ...others] = prepared.signers;
    const all = [payer!, ...[...others, stranger].filter((wallet) => signing.has(wallet.address))];
    return svm.send(instructions, all);
  }

  function withKey(index: number, change: Partial<InstructionKey>) {
    return (instruction: ProgramInstruction): ProgramInstruction => ({
      ...instruction,
      keys: instruction.keys.map((key, i) => (i === index ? { ...key, ...change } : key)),
    });
  }

  function expect(what: string, outcome: { error: string | undefined; logs: readonly string[] }, error: string) {
    assert.equal(outcome.error, error, `${what}\n${outcome.logs.join('\n')}`);
  }

  for (const name of INSTRUCTION_NAMES) {
    const roles: [string, AccountRole][] = Object.entries(INSTRUCTIONS[name].accounts);

    it(`${name} refuses missing signatures, read-only accounts and accounts in the wrong place`, () => {
      const prepared = fixtures[name]();
      roles.forEach(([account, role], i) => {
        if (role.signer) expect(account, sendChanged(prepared, withKey(i, { signer: false })), 'missingSigner');
        if (role.writable) expect(account, sendChanged(prepared, withKey(i, { writable: false })), 'notWritable');
        if (FIXED_KINDS.includes(role.kind))
          expect(account, sendChanged(prepared, withKey(i, { address: stranger.address })), 'wrongProgram');
      });
      roles.forEach(([account, role], i) => {
        if (!STATE_KINDS.includes(role.kind)) return;
        const { address } = prepared.instructions.at(-1)!.keys[i]!;
        const data = svm.account(address)!.data;
        const copy = (owner: string, bytes: Uint8Array) => {
          const made = makeWallet().address;
          svm.setAccount(made, owner, bytes);
          return withKey(i, { address: made });
        };
        expect(account, sendChanged(prepared, withKey(i, { address: stranger.address })), 'wrongOwner');
        expect(account, sendChanged(prepared, copy(stranger.address, data)), 'wrongOwner');
        expect(account, sendChanged(prepared, copy(svm.programId, Buffer.alloc(data.length))), 'wrongDiscriminator');
        for (const bytes of [data.subarray(0, -8), Buffer.concat([data, Buffer.alloc(8)])])
          expect(account, sendChanged(prepared, copy(svm.programId, bytes)), 'wrongDiscriminator');
        for (const [kind, other] of Object.entries(foreign)) {
          const expected = kind !== role.kind ? 'wrongDiscriminator' : kind === 'config' ? undefined : 'wrongConfig';
          const outcome = sendChanged(prepared, withKey(i, { address: other }));
          if (expected) expect(`${kind} as ${account}`, outcome, expected);
          else
            assert.ok(
              ['wrongConfig', 'wrongAddress', 'wrongStatement', 'wrongProgram'].includes(outcome.error ?? ''),
              `${account}: ${outcome.error}`,
            );
        }
        if (role.kind !== 'config') expect(account, sendChanged(prepared, copy(svm.programId, data)), 'wrongAddress');
      });
      expect(
        'unchanged',
        sendChanged(prepared, (same) => same),
        undefined as never,
      );
    });

    it(`${name} refuses one account in two roles, strangers' accounts, and misshapen data`, () => {
      const prepared = fixtures[name]();
      const { keys, data } = prepared.instructions.at(-1)!;
      roles.forEach(([account, role], i) => {
        for (let j = 0; j < i; j++) {
          if (role.kind === 'wallet' && roles[j]![1].kind === 'wallet') continue;
          // What is no wallet cannot sign: the transaction is not even taken.
          if (role.signer) continue;
          const twin = { address: keys[j]!.address };
          const outcome = sendChanged(prepared, (instruction) => withKey(i, twin)(instruction));
          // The runtime never lets a program be written.
          const possible = ['duplicateAccount', 'wrongProgram', 'notWritable'];
          assert.ok(possible.includes(outcome.error ?? ''), `${account} = ${roles[j]![0]}: ${outcome.error}`);
        }
        if (['token', 'vault', 'mint', 'fresh'].includes(role.kind) && name !== 'setPayee') {
          const own = world.giveTokens(stranger.address, 5n);
          for (const address of [own, stranger.address, SYSTEM_PROGRAM]) {
            const outcome = sendChanged(prepared, withKey(i, { address }));
            if (role.kind === 'vault' && address !== SYSTEM_PROGRAM)
              expect(`${account} replaced by ${address}`, outcome, 'wrongAddress');
            else assert.notEqual(outcome.error, undefined, `${account} replaced by ${address}`);
          }
        }
        if (role.kind === 'wallet' && !MAY_BE_ANYONE.has(`${name}.${account}`)) {
          const outcome = sendChanged(prepared, withKey(i, { address: stranger.address }));
          const possible = ['wrongAuthority', 'wrongAddress', 'wrongTokenOwner', 'notAnnounced'];
          assert.ok(possible.includes(outcome.error ?? ''), `${account} replaced: ${outcome.error}`);
        }
      });
      const tail = 'tail' in INSTRUCTIONS[name];
      const shapes: [string, Uint8Array][] = [
        ['unknownInstruction', new Uint8Array()],
        ['unknownInstruction', Uint8Array.of(INSTRUCTION_NAMES.length)],
        ['unknownInstruction', Uint8Array.of(254, ...data.subarray(1))],
        [tail ? 'invalidPath' : 'malformedData', Buffer.concat([data, Buffer.alloc(1)])],
        ...(data.length > 1 && !tail ? [['malformedData', data.subarray(0, -1)] as [string, Uint8Array]] : []),
      ];
      for (const [error, bytes] of shapes) {
        const outcome = sendChanged(prepared, (instruction) => ({ ...instruction, data: bytes }));
        expect(`${bytes.length} bytes`, outcome, error);
      }
      const extra = { address: makeWallet().address, signer: false, writable: false };
      const counts: InstructionKey[][] = [
        keys.slice(0, -1),
        [...keys, extra],
        [],
        Array.from({ length: 14 }, () => extra),
      ];
      for (const changed of counts) {
        const outcome = sendChanged(prepared, (instruction) => ({ ...instruction, keys: changed }));
        expect(`${changed.length} accounts`, outcome, 'wrongAccountCount');
      }
      expect(
        'unchanged',
        sendChanged(prepared, (same) => same),
        undefined as never,
      );
    });
  }
});

/** Wallets that are free to choose: whoever pays or calls. */
const MAY_BE_ANYONE = new Set(['openAgent.payer', 'claimOwner.payer', 'answer.answerer']);

/** One account of every kind, under another config. */
function foreignAccounts(world: World, elsewhere: Deployment): Record<string, string> {
  const [requester, provider, key] = [world.wallet(), world.wallet(), world.wallet()];
  const name = { requester: requester.address, provider: provider.address, conversation: Buffer.alloc(16) };
  const [deadline, terms] = [world.svm.now() + 1_000n, Buffer.alloc(32)];
  const lock = lockEscrow(elsewhere, {
    ...name,
    amount: 5n,
    bond: 2n,
    deadline,
    reviewSecs: 200n,
    terms,
    disputeBps: 0,
  });
  world.do([lock, openAgent(elsewhere, key.address, key.address)], [requester, key]);
  const accused = world.under(elsewhere, () => accusedAgent(world));
  const announced = { key: key.address, id: Buffer.alloc(32, 9), accuser: requester.address };
  world.do([announce(elsewhere, announced)], [requester]);
  return {
    config: elsewhere.config,
    escrow: escrowAddress(elsewhere, name),
    agent: agentAddress(elsewhere, key.address),
    announcement: announcementAddress(elsewhere, requester.address, accusationCommitment(elsewhere, announced)),
    accusation: accusationAddress(elsewhere, accused.key.address, accused.id),
  };
}
