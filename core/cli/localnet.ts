import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RpcFaults } from '../../schemas/types.ts';
import { loadContracts } from '../contracts/contracts.ts';
import { DEFAULT_NETWORK } from '../contracts/settings.ts';
import { usdcMintOf } from '../ledger/clusters.ts';
import { pinoLog } from '../platform/pino-log.ts';
import { messageOf } from '../platform/problem.ts';
import { type Call, type Command, command, Failure, type Options, type Terminal, UsageError } from './command.ts';
import { freePorts } from './dev/free-ports.ts';
import type { StartLocalnet } from './dev/mesh.ts';
import { portOf } from './dev/options.ts';
import { table } from './table.ts';

const STANDARD_PORT = 8899;
const OPTIONS = {
  'rpc-port': {
    takes: 'N',
    summary: 'port of the RPC; the WebSocket takes the next',
    default: `${STANDARD_PORT}, which moves up when it is busy`,
  },
  'network-id': { takes: 'NAME', summary: 'network.id of the mesh that settles here', default: DEFAULT_NETWORK },
  data: { takes: 'DIR', summary: 'keep the chain in DIR and go on from there next time', default: 'gone at the end' },
  'rpc-faults': { takes: 'FILE', summary: 'lets the RPC lag, forget and answer wrongly, as docs/localnet.md says' },
} as const satisfies Options;

export interface LocalnetTools {
  readonly localnet: () => Promise<StartLocalnet>;
}

/** `mesh localnet`: the embedded cluster alone, until it is stopped. */
export function localnetCommand({ localnet }: LocalnetTools): Command {
  return command({
    summary: 'Runs a Solana cluster on this machine, with the settlement program and nothing else.',
    about: `For nodes of your own and for any Solana client. It serves programs on this machine only, and stays up until Ctrl-C.
mesh faucet gives SOL and USDC there. With --json it prints one document when it is up.`,
    options: OPTIONS,
    examples: ['localnet', 'localnet --rpc-port 8899 --data ./chain'],
    async run({ options }, _, terminal) {
      const { networkId, dir, faults, port: wanted, json } = settingsOf(options);
      const stopped = terminal.untilStopped();
      try {
        const { rpc: port } = await freePorts({
          rpc: { flag: '--rpc-port', asked: wanted, standard: STANDARD_PORT, count: 2 },
        });
        const start = await localnet();
        const log = pinoLog('error', { write: (line) => void process.stderr.write(line) });
        const net = await start({ port, log, networkId, ...(dir && { dir }), ...(faults && { faults }) });
        try {
          tell(net, { networkId, json }, terminal);
          await stopped;
        } finally {
          await net.stop();
        }
        return 0;
      } catch (error) {
        if (error instanceof UsageError) throw error;
        throw new Failure(messageOf(error), {}, error);
      }
    },
  });
}

function settingsOf(options: Call<typeof OPTIONS>['options']) {
  const { data, 'rpc-faults': faults } = options;
  return {
    port: portOf('--rpc-port', options['rpc-port']),
    networkId: options['network-id'] ?? DEFAULT_NETWORK,
    dir: data === undefined ? undefined : resolve(data),
    faults: faults === undefined ? undefined : faultsOf(faults),
    json: options.json,
  };
}

function faultsOf(path: string): RpcFaults {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`--rpc-faults ${path}: ${messageOf(error)}`);
  }
  const problems = loadContracts().problems('rpc-faults', value);
  if (problems.length === 0) return value as RpcFaults;
  const fields = problems.map(({ pointer, message }) => `${pointer || '/'} ${message}`).join('; ');
  throw new UsageError(`--rpc-faults ${path}: ${fields}`);
}

function tell(
  net: Awaited<ReturnType<StartLocalnet>>,
  { networkId, json }: { readonly networkId: string; readonly json: boolean },
  terminal: Terminal,
): void {
  const { url, wsUrl, genesisHash, views } = net;
  const { program, config } = net.settlement;
  const mint = usdcMintOf('localnet')!;
  const rpc_urls = views.map((view) => view.url);
  // A node takes two at most.
  const used = rpc_urls.slice(0, 2);
  const settings = { network: { id: networkId }, ledger: { rpcUrls: used, program, config } };
  if (json) {
    const facts = { rpc_url: url, ws_url: wsUrl, network_id: networkId, program, config, usdc_mint: mint };
    terminal.out(JSON.stringify({ event: 'ready', ...facts, genesis_hash: genesisHash, rpc_urls, settings }));
    return;
  }
  const rpcFlags = used.map((one) => `--rpc-url ${one}`);
  const rows = [
    ['RPC', `${url}, WebSocket ${wsUrl}`],
    ...views.slice(1).map((view) => ['another RPC', `${view.url}, over the same chain`]),
    ['network id', networkId],
    ['program', program],
    ['config', config],
    ['USDC mint', mint],
    ['faucet', `mesh faucet ADDRESS --sol 1 --usdc 100 --rpc-url ${url}`],
  ];
  terminal.out(
    [
      table(rows),
      '',
      'Nodes and aggregators settle here with this in their plugins.json:',
      '',
      JSON.stringify(settings, undefined, 2),
      '',
      `or with --network-id ${networkId} ${rpcFlags.join(' ')} --ledger-program ${program} --ledger-config ${config}`,
      '',
      'Ctrl-C stops it.',
    ].join('\n'),
  );
}
