import assert from 'node:assert/strict';
import {
  CONFIG_SIZE,
  decodeProgramData,
  deploymentSizes,
  deployProgram,
  initConfig,
  initializeBuffer,
  isProgram,
  LOADER,
  programDataAddress,
  readProgram,
  setUpgradeAuthority,
  WRITE_SIZE,
  writeBuffer,
} from '../../adapters/ledger-solana/program/index.ts';
import { makeWallet, type Wallet } from './support/svm.ts';
import { createAccount, NETWORK_NAME, SHORT_NUMBERS, World } from './support/world.ts';

describe('deployment', () => {
  const world = new World();
  const { svm } = world;
  const bytes = readProgram();
  const sizes = deploymentSizes(bytes);
  const authority = world.wallet();

  function upload(content: Uint8Array): Wallet {
    const buffer = makeWallet();
    const create = createAccount(authority, buffer, sizes.buffer, svm.rent(sizes.buffer), LOADER);
    world.do([create, initializeBuffer(buffer.address, authority.address)], [authority, buffer]);
    for (let at = 0; at < content.length; at += WRITE_SIZE) {
      const piece = content.subarray(at, at + WRITE_SIZE);
      world.do([writeBuffer(buffer.address, authority.address, at, piece)], [authority]);
    }
    return buffer;
  }

  function deploySteps(program: Wallet, buffer: Wallet) {
    const create = createAccount(authority, program, sizes.program, svm.rent(sizes.program), LOADER);
    const names = { program: program.address, buffer: buffer.address, authority: authority.address };
    return [create, deployProgram({ payer: authority.address, ...names, maxLength: bytes.length })];
  }

  it('by ordinary transactions makes a program that runs and can be verified', () => {
    const program = makeWallet();
    const before = svm.lamports(authority.address);
    world.do(deploySteps(program, upload(bytes)), [authority, program]);
    const spent = before - svm.lamports(authority.address);
    if (process.env['VERBOSE']) process.stdout.write(`      ${spent} lamports\n`);
    assert.ok(spent - svm.rent(sizes.programData) - svm.rent(sizes.program) < 500_000n, `${spent} lamports`);

    const deployed = decodeProgramData(svm.account(programDataAddress(program.address))!);
    assert.ok(deployed && isProgram(deployed, bytes));
    assert.equal(deployed.upgradeAuthority, authority.address);
    assert.equal(
      isProgram(
        deployed,
        Uint8Array.from(bytes, (byte, i) => (i === 5000 ? byte ^ 1 : byte)),
      ),
      false,
    );
    assert.equal(isProgram(deployed, bytes.subarray(0, -128)), false);

    svm.raw.warpToSlot(svm.slot() + 2n);
    const config = makeWallet();
    const deployment = { ...world.deployment, programId: program.address, config: config.address };
    const create = createAccount(authority, config, CONFIG_SIZE, svm.rent(CONFIG_SIZE), program.address);
    world.do([create, initConfig(deployment, NETWORK_NAME, SHORT_NUMBERS)], [authority, config]);
    assert.equal(svm.account(config.address)?.owner, program.address);
  });

  it('can be made final', () => {
    const program = makeWallet();
    world.do(deploySteps(program, upload(bytes)), [authority, program]);
    svm.raw.warpToSlot(svm.slot() + 2n);
    world.do([setUpgradeAuthority(program.address, authority.address)], [authority]);
    const deployed = decodeProgramData(svm.account(programDataAddress(program.address))!);
    assert.equal(deployed?.upgradeAuthority, undefined);
    const again = svm.send([setUpgradeAuthority(program.address, authority.address, authority.address)], [authority]);
    assert.notEqual(again.error, undefined);
  });

  it('of damaged bytes is refused by the loader', () => {
    const program = makeWallet();
    const damaged = Buffer.from(bytes);
    damaged.writeUInt32LE(0, 48);
    assert.notEqual(svm.send(deploySteps(program, upload(damaged)), [authority, program]).error, undefined);
  });

  it('is not confused with other accounts', () => {
    assert.equal(decodeProgramData({ owner: svm.programId, data: Buffer.alloc(100, 3) }), undefined);
    assert.equal(decodeProgramData({ owner: LOADER, data: Buffer.alloc(100, 1) }), undefined);
  });
});
