import assert from 'node:assert/strict';
import {
  CONFIG_SIZE,
  type Deployment,
  eventAuthorityAddress,
  initConfig,
  type Numbers,
  networkHash,
  PROTOCOL_NUMBERS,
  tokenAddress,
} from '../../adapters/ledger-solana/program/index.ts';
import { makeWallet, type Wallet } from './support/svm.ts';
import { createAccount, NETWORK_NAME, SHORT_NUMBERS, World } from './support/world.ts';

describe('config', () => {
  const world = new World();
  const { svm } = world;
  const payer = world.wallet();

  /** An empty config account and the deployment that it would become. */
  function created(change: Partial<Deployment> = {}, size = CONFIG_SIZE): { deployment: Deployment; config: Wallet } {
    const config = makeWallet();
    world.do([createAccount(payer, config, size, svm.rent(size), svm.programId)], [payer, config]);
    return { deployment: { ...world.deployment, config: config.address, ...change }, config };
  }

  function refuses(error: string, change: Partial<Numbers>): void {
    const { deployment, config } = created();
    const numbers = { ...SHORT_NUMBERS, ...change };
    world.refuse(error, [initConfig(deployment, NETWORK_NAME, numbers)], [payer, config]);
  }

  it('stores the numbers of the protocol and the network it computed itself', () => {
    const { deployment, config } = created();
    world.do([initConfig(deployment, NETWORK_NAME, PROTOCOL_NUMBERS)], [payer, config]);
    const stored = world.read('config', deployment.config);
    const { network, mint, treasury, treasuryAta, eventAuthority, eventBump: _, ...numbers } = stored;
    assert.deepEqual(numbers, PROTOCOL_NUMBERS);
    assert.deepEqual(Buffer.from(network), networkHash(deployment, NETWORK_NAME));
    assert.deepEqual([mint, treasury], [deployment.mint, deployment.treasury]);
    assert.equal(treasuryAta, tokenAddress(deployment, deployment.treasury));
    assert.equal(eventAuthority, eventAuthorityAddress(deployment));
  });

  it('is set once', () => {
    const { deployment, config } = created();
    const step = [initConfig(deployment, NETWORK_NAME, SHORT_NUMBERS)];
    world.do(step, [payer, config]);
    world.refuse('alreadyExists', step, [payer, config]);
  });

  it('keeps the relations between its numbers that the rules of the stake need', () => {
    const wrong: Partial<Numbers>[] = [
      { epochSecs: 0n },
      { epochSecs: 2n ** 32n + 1n, unlockSecs: 3n * 2n ** 32n },
      { challengeSecs: 801n },
      { challengeSecs: 0n },
      { responseSecs: 401n },
      { responseSecs: 0n },
      { unlockSecs: 699n },
      { submitGap: 0n },
      { submitGap: 4n },
      { skipLimit: 33n },
      { inactiveEpochs: 4n },
      { inactiveSlots: 2n ** 41n },
      { responseSlots: 2n ** 64n - 1n },
      { minStake: 3n },
      { answerReward: 20_000_001n },
      { leasePrice: 0n },
      { leaseMaxEpochs: 0n },
      { graceEpochs: 2n ** 16n },
      { leadSecs: 9_001n },
      { horizonSecs: 2n ** 33n },
      { reviewMinSecs: 2_001n },
      { reviewMaxSecs: 2n ** 33n },
      { disputeSecs: 2n ** 63n },
      { disputeSecs: 0n },
      { announceSlots: 0n },
      { announceSlots: 2n ** 16n + 1n },
    ];
    for (const change of wrong) refuses('invalidConfig', change);
  });

  it('needs its own key, the program as owner and the right size', () => {
    const { deployment, config } = created();
    const step = initConfig(deployment, NETWORK_NAME, SHORT_NUMBERS);
    const unsigned = { ...step, keys: step.keys.map((entry) => ({ ...entry, signer: false })) };
    world.refuse('missingSigner', [unsigned], [payer]);
    const small = created({}, CONFIG_SIZE - 1);
    world.refuse(
      'wrongDiscriminator',
      [initConfig(small.deployment, NETWORK_NAME, SHORT_NUMBERS)],
      [payer, small.config],
    );
    const own = { ...deployment, config: payer.address };
    world.refuse('wrongOwner', [initConfig(own, NETWORK_NAME, SHORT_NUMBERS)], [payer]);
    world.do([step], [payer, config]);
  });

  it('needs a name for its network', () => {
    const { deployment, config } = created();
    const step = initConfig(deployment, NETWORK_NAME, SHORT_NUMBERS);
    const data = Buffer.from(step.data).fill(0, 33, 97);
    world.refuse('invalidConfig', [{ ...step, data }], [payer, config]);
    const long = { ...NETWORK_NAME, networkId: 'n'.repeat(64) };
    world.do([initConfig(deployment, long, SHORT_NUMBERS)], [payer, config]);
    assert.deepEqual(Buffer.from(world.read('config', config.address).network), networkHash(deployment, long));
  });

  it('needs a mint, and a treasury that can receive', () => {
    const [poor, other] = [makeWallet(), makeWallet()];
    world.makeMint(other.address);
    const noMint = created({ mint: payer.address });
    world.refuse('wrongMint', [initConfig(noMint.deployment, NETWORK_NAME, SHORT_NUMBERS)], [payer, noMint.config]);
    const wrapped = 'So11111111111111111111111111111111111111112';
    world.makeMint(wrapped);
    world.giveTokens(world.treasury.address, 0n, { ...world.deployment, mint: wrapped });
    const native = created({ mint: wrapped });
    world.refuse('wrongMint', [initConfig(native.deployment, NETWORK_NAME, SHORT_NUMBERS)], [payer, native.config]);
    const noAccount = created({ treasury: poor.address });
    world.refuse(
      'notReceivable',
      [initConfig(noAccount.deployment, NETWORK_NAME, SHORT_NUMBERS)],
      [payer, noAccount.config],
    );
    const otherMint = created({ mint: other.address });
    const step = initConfig(otherMint.deployment, NETWORK_NAME, SHORT_NUMBERS);
    const account = tokenAddress(world.deployment, world.treasury.address);
    const keys = step.keys.map((entry, i) => (i === 2 ? { ...entry, address: account } : entry));
    world.refuse('wrongAddress', [{ ...step, keys }], [payer, otherMint.config]);
  });
});
