import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { type SettledLocalnet, startSettledLocalnet } from '../../adapters/localnet-settlement.ts';
import { BootError } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { Network } from '../../core/internal-services.ts';
import { silentLog } from '../../core/platform/log.ts';

describe('a node that settles on a ledger', function () {
  this.timeout(60_000);
  let net: SettledLocalnet;
  let folder = '';
  before(async () => {
    net = await startSettledLocalnet({ log: silentLog, networkId: 'boot-tests' });
    folder = await mkdtemp(join(tmpdir(), 'mesh-'));
  });
  after(async () => {
    await net.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function boot(ledger: object, network: object = { id: 'boot-tests' }) {
    const value = { listen: '127.0.0.1:0', dataDir: join(folder, 'node'), storage: { use: 'memory' }, ledger, network };
    return startNode({ parts: { adapters, plugins: {} }, log: silentLog, config: { value, folder } });
  }
  const ledger = () => ({ rpcUrl: net.url, ...net.settlement });

  it('has the network its config account stores, and so has one that is told of it', async () => {
    const node = await boot(ledger());
    const network = node.get(Network);
    assert.equal(network.epochSecs, 86_400);
    assert.ok(node.report.notes.some((note) => note.includes(net.settlement.config)));
    await node.stop();
    const told = await boot({}, { id: 'boot-tests', genesisHash: net.genesisHash, ...net.settlement });
    assert.deepEqual(told.get(Network).id, network.id);
    await told.stop();
  });

  it('does not boot with another deployment than its own, and says why', async () => {
    const { config } = net.settlement;
    const cases: [message: RegExp, ledger: object, network?: object][] = [
      [/ledger.program and ledger.config belong together/, { ...ledger(), config: undefined }],
      [/ledger.program and ledger.config belong together/, { ...ledger(), program: undefined }],
      [/does not exist on localnet/, { ...ledger(), config: net.treasury.address }],
      [/check ledger.program/, { ...ledger(), program: config }],
      [/set network.id to the name it was deployed with/, ledger(), { id: 'elsewhere' }],
      [
        /network.program is not that of the ledger/,
        ledger(),
        { id: 'boot-tests', genesisHash: net.genesisHash, program: config, config },
      ],
    ];
    for (const [message, settings, network] of cases) {
      await assert.rejects(boot(settings, network), (error: unknown) => {
        assert.ok(error instanceof BootError, String(error));
        assert.match(error.message, message);
        return true;
      });
    }
  });
});
