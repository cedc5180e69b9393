import { Ledger } from '../../../core/internal-services.ts';
import { Self } from '../../../core/services.ts';
import { type Member, type Mesh, type MeshOptions, startMesh } from '../../support/mesh.ts';
import { LaunchpadServiceStandIn } from '../../upstreams/launchpad-service.ts';

export const PARTNER = {
  partnerWallet: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  partnerKey: '8opHzTAnfzRpPEx21XtnrVTX28YQuCpAjcn1PczScKh',
};

export interface LaunchpadMesh {
  readonly mesh: Mesh<'alice' | 'bob'>;
  /** Has a key of the launchpad. */
  readonly alice: Member;
  /** Has none. */
  readonly bob: Member;
  readonly service: LaunchpadServiceStandIn;
  readonly usdc: string;
  /** The wallet of the aggregator. */
  readonly sponsor: string;
  stop(): Promise<void>;
}

/** Two nodes and a sponsor at a stand-in of the launchpad. */
export async function startLaunchpadMesh(
  own: Readonly<Record<string, unknown>> = {},
  money: Readonly<Record<string, string>> = {},
  options: Partial<MeshOptions<'alice' | 'bob'>> = {},
): Promise<LaunchpadMesh> {
  const service = await LaunchpadServiceStandIn.start();
  const urls = { apiUrl: service.url, $grant: [`http:${service.host}`] };
  const prices = { pricesUrl: service.pricesUrl };
  const ledger = { maxSolPerTransaction: '1', maxSolPerDay: '20' };
  const mesh = await startMesh({
    nodes: ['alice', 'bob'],
    storage: 'lowdb',
    isolated: true,
    usdc: { alice: '2000', bob: '1' },
    ...options,
    own: {
      aggregator: {
        ledger,
        plugins: { sponsor: { ...urls, apiKey: service.apiKey, maxPerAgentPerDay: 100, maxPerDay: 100 } },
      },
      alice: {
        ledger,
        // More calls in a minute than a wallet has trades.
        api: { unlimited: ['127.0.0.1'] },
        core: { money: { maxEscrow: '500', maxPerDay: '5000', ...money } },
        plugins: { launchpad: { ...urls, ...prices, apiKey: service.apiKey, ...PARTNER, ...own } },
      },
      bob: { plugins: { launchpad: { ...urls, ...prices } } },
    },
  });
  const { alice, bob } = mesh.nodes;
  const usdc = alice.node.get(Ledger).cluster.usdcMint;
  service.connect(mesh.localnet.url, usdc);
  const sponsor = mesh.aggregatorNode.get(Self).address;
  await mesh.localnet.faucet.sol(sponsor, 2_000_000_000n);
  await mesh.localnet.faucet.sol(service.maker, 50_000_000_000n);
  await mesh.localnet.faucet.usdc(service.maker, 1n);
  await mesh.localnet.faucet.sol(alice.id, 20_000_000_000n);
  return {
    ...{ mesh, alice, bob, service, usdc, sponsor },
    async stop() {
      await mesh.stop();
      service.stop();
    },
  };
}

export const WISH = {
  name: 'Mesh Token',
  symbol: 'MESH',
  description: 'A token of an agent.',
  image_url: 'https://images.example.com/mesh.png',
};
