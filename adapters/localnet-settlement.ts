import { createHash } from 'node:crypto';
import { usdcMintOf } from '../core/ledger/clusters.ts';
import type { Signer } from '../core/ledger/ledger.ts';
import { ledgerSigner } from '../core/ledger/ledger.ts';
import { systemClock } from '../core/platform/system-clock.ts';
import type { SettlementNumbers } from '../core/protocol/settlement/numbers.ts';
import { identityFromSeed } from '../core/protocol/signer/identity.ts';
import { createConfig } from './ledger-solana/deployment/config-account.ts';
import { DeploymentRpc } from './ledger-solana/deployment/deployment-rpc.ts';
import { publicKey, readAccounts } from './ledger-solana/holdings.ts';
import { readProgram } from './ledger-solana/program/index.ts';
import { protocolNumbers } from './ledger-solana/settlement/numbers.ts';
import { type Localnet, type LocalnetOptions, startLocalnet } from './localnet/localnet.ts';

export interface SettledLocalnetOptions extends LocalnetOptions {
  /** `network.id` of the mesh that settles here; `localnet` unless given, as in plugins.json. */
  readonly networkId?: string;
  /** In place of the protocol's own numbers. Another set of numbers is another config. */
  readonly numbers?: Partial<SettlementNumbers>;
}

/** A localnet that has the settlement program, and a config made by an ordinary transaction. */
export interface SettledLocalnet extends Localnet {
  readonly settlement: { readonly program: string; readonly config: string };
  /** The wallet that gets leases and slashes; its key is known here only. */
  readonly treasury: Signer;
}

const FEES = 100_000_000n;
const PROGRAM = keyOf('program').address;

/** Starts the cluster with the settlement program on it. A chain taken up again keeps its config. */
export async function startSettledLocalnet(options: SettledLocalnetOptions): Promise<SettledLocalnet> {
  const { networkId = 'localnet', numbers: changed, programs = [], faults, ...rest } = options;
  // The config is made before anything goes wrong.
  const calm = faults && { faults: { views: faults.views.map(({ port }) => (port === undefined ? {} : { port })) } };
  const net = await startLocalnet({
    ...rest,
    ...calm,
    programs: [...programs, { address: PROGRAM, elf: readProgram() }],
  });
  const chain = new DeploymentRpc(net.url, systemClock, new AbortController().signal);
  try {
    const { genesisHash } = net;
    const numbers = protocolNumbers(changed);
    const treasury = keyOf('treasury', genesisHash);
    const amounts = Object.entries(numbers).map(([name, value]) => `${name} ${value}`);
    const config = keyOf('config', genesisHash, networkId, ...amounts);
    const [made] = await readAccounts(chain.rpc, [publicKey(config.address)]);
    if (!made) {
      const payer = keyOf('payer', genesisHash);
      await net.faucet.sol(payer.address, FEES);
      const mint = usdcMintOf('localnet')!;
      const place = { programId: PROGRAM, config, mint, treasury: treasury.address };
      await createConfig(chain, payer, { ...place, genesisHash, networkId, numbers });
    }
    if (faults) net.play(faults);
    return { ...net, settlement: { program: PROGRAM, config: config.address }, treasury };
  } catch (error) {
    await net.stop();
    throw error;
  } finally {
    chain.close();
  }
}

/** Keys of a localnet need not be secret: anyone who reaches it can make any money it has. */
function keyOf(...words: readonly string[]): Signer {
  const seed = createHash('sha256')
    .update(['agent-mesh localnet settlement', ...words].join('\n'))
    .digest();
  return ledgerSigner(identityFromSeed(seed));
}
