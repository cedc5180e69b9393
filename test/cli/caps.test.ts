import assert from 'node:assert/strict';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { readConfiguration } from '../../core/host/config/configuration.ts';
import { capsOf } from '../../core/node/money/caps.ts';
import { mesh } from './terminal.ts';

describe('caps on the command line', () => {
  const contracts = loadContracts();
  const value = { profile: 'node', core: { money: { maxEscrow: '10', maxStake: '20' } } };

  function caps(argv: string[], env: Record<string, string> = {}) {
    const { settings, problems } = readConfiguration({ value, argv, env }, contracts);
    assert.deepEqual(problems, []);
    const { maxEscrow, maxStake, maxPerDay, maxPerPartnerPerDay } = capsOf(settings);
    return [maxEscrow, maxStake, maxPerDay, maxPerPartnerPerDay].map(Number);
  }

  it('come from flags before variables before the file before what is usual', () => {
    assert.deepEqual(caps([]), [10e6, 20e6, 100e6, 50e6]);
    assert.deepEqual(caps([], { NODE_MAX_STAKE: '30', NODE_MAX_PER_DAY: '0.5' }), [10e6, 30e6, 0.5e6, 50e6]);
    const flags = ['--max-escrow', '1', '--max-per-partner-per-day', '0'];
    assert.deepEqual(caps(flags, { NODE_MAX_ESCROW: '2' }), [1e6, 20e6, 100e6, 0]);
  });

  it('are shown by the help, with what is usual', async () => {
    const { code, out } = await mesh(['start', '--help']);
    assert.equal(code, 0);
    for (const [flag, usual] of Object.entries({
      'max-escrow': 25,
      'max-stake': 100,
      'max-per-day': 100,
      'max-per-partner-per-day': 50,
      'max-x402-per-day': 25,
    }))
      assert.match(out, new RegExp(`--${flag} USDC .*\\(default ${usual}\\) \\(NODE_[A-Z0-9_]+\\)`));
  });

  it('that are no amounts stop the start, by name', async () => {
    for (const wrong of ['lots', '-1', '1.0000001', '1,5', '']) {
      const { code, error } = await mesh(['check', `--max-per-day=${wrong}`]);
      assert.equal(code, 1, wrong);
      assert.match(error, /money: its configuration is wrong: maxPerDay/);
    }
  });
});
