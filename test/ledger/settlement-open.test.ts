import assert from 'node:assert/strict';
import { Keypair } from '@solana/web3.js';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import { PROGRAM_ERRORS, type ProgramErrorName } from '../../adapters/ledger-solana/program/index.ts';
import { programRefusal } from '../../adapters/ledger-solana/settlement/program-error.ts';
import { ERRORS } from '../../core/contracts/errors.ts';
import { requireSettlement } from '../../core/ledger/require-settlement.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { rpc } from '../localnet/cluster.ts';
import { NETWORK, type SettlementBench, settlementBench } from './settlement-bench.ts';

describe('opening the settlement program', function () {
  this.timeout(90_000);
  let bench: SettlementBench;
  before(async () => {
    bench = await settlementBench();
  });
  after(() => bench.close());

  it('refuses any other deployment than the one that was meant, with a sentence', async () => {
    const { program: programId, config } = bench.net.settlement;
    const other = Keypair.generate().publicKey.toBase58();
    const cases: [expected: RegExp, changed: object][] = [
      [/does not exist on localnet; is ledger.config of this cluster\?/, { config: other }],
      [/belongs to .*, not to the program .*; check ledger.program/, { programId: other }],
      [/is no config account of the settlement program/, { config: await escrowAddress() }],
      [/another network than "elsewhere" on localnet; set network.id/, { networkId: 'elsewhere' }],
    ];
    for (const [message, changed] of cases) {
      const settlement = { programId, config, networkId: NETWORK, ...changed };
      const opening = openSolanaLedger({ url: bench.net.url, settlement, log: silentLog, clock: systemClock });
      await assert.rejects(opening, { message });
    }
    const wrongMint = openSolanaLedger({
      url: bench.net.url,
      usdcMint: await anotherMint(),
      settlement: { programId, config, networkId: NETWORK },
      log: silentLog,
      clock: systemClock,
    });
    await assert.rejects(wrongMint, { message: /is for the mint .*, not for USDC/ });
  });

  it('is optional: without it what needs it says so', async () => {
    const ledger = await openSolanaLedger({ url: bench.net.url, log: silentLog, clock: systemClock });
    assert.equal(ledger.settlement, undefined);
    assert.throws(() => requireSettlement(ledger), { code: 'ledger_program_missing', message: /mesh program deploy/ });
    assert.throws(() => requireSettlement(undefined), { code: 'ledger_unavailable', message: /--rpc-url/ });
    await ledger.close();
  });

  async function escrowAddress(): Promise<string> {
    const [requester, provider] = [await bench.wallet(), await bench.wallet(0n)];
    return (await bench.settlement.escrow(await bench.lock(requester, provider)))!.address;
  }

  async function anotherMint(): Promise<string> {
    const address = Keypair.generate().publicKey.toBase58();
    const data = Buffer.alloc(82);
    data[44] = 6;
    data[45] = 1;
    const state = {
      lamports: 1_461_600,
      data: data.toString('base64'),
      owner: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    };
    await rpc(bench.net.url, 'localnet_setAccount', [address, state]);
    return address;
  }
});

describe('the errors of the settlement program', () => {
  it('all have a code that clients can see, and their own name', () => {
    for (const error of Object.keys(PROGRAM_ERRORS) as ProgramErrorName[]) {
      const refusal = programRefusal(error, 'submitBatch');
      assert.ok(refusal.code in ERRORS, error);
      assert.match(refusal.programError!, /^[a-z_]+$/);
      assert.ok(refusal.detail.includes(PROGRAM_ERRORS[error]));
    }
  });

  it('say what an escrow step met', () => {
    assert.equal(programRefusal('wrongOwner', 'approve').code, 'escrow_not_found');
    assert.equal(programRefusal('wrongOwner', 'payLease').code, 'not_found');
    assert.equal(programRefusal('alreadyExists', 'lockEscrow').code, 'escrow_exists');
    assert.equal(programRefusal('alreadyExists', 'claimOwner').code, 'conflict');
  });
});
