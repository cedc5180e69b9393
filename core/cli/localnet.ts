import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RpcFaults } from '../../schemas/types.ts';
import { loadContracts } from '../contracts.ts';
import { freePorts } from '../dev/free-ports.ts';
import type { StartLocalnet } from '../dev/mesh.ts';
import { UsageError as PortError, portOf } from '../dev/options.ts';
import { usdcMintOf } from '../ledger/clusters.ts';
import { pinoLog } from '../pino-log.ts';
import { messageOf } from '../problem.ts';
import { type Command, type Terminal, takeOption, UsageError } from './command.ts';
import { table } from './table.ts';

const STANDARD_PORT = 8899;
const STANDARD_NETWORK = 'local';
const USAGE = '[--rpc-port N] [--network-id NAME] [--data DIR] [--rpc-faults FILE] [--json]';

const HELP = `mesh localnet ${USAGE}

A Solana cluster in this process, with the settlement program and its config, and nothing else; for nodes of your own
and for any Solana client. It serves programs on this machine only, and stays up until Ctrl-C.

  --rpc-port N        port of the RPC; the WebSocket takes the next (default 8899, which moves up when it is busy)
  --network-id NAME   network.id of the mesh that settles here (default ${STANDARD_NETWORK})
  --data DIR          keep the chain in DIR and go on from there next time (default: gone at the end)
  --rpc-faults FILE   lets the RPC lag, forget and answer wrongly, as FILE says (docs/localnet.md)
  --json              one JSON object when it is up

mesh faucet gives SOL and USDC there. Exit codes: 0 stopped as asked, 1 it did not work, 2 the command line is wrong.`;

export interface LocalnetTools {
  readonly localnet: () => Promise<StartLocalnet>;
}

/** `mesh localnet`: the embedded cluster alone, until it is stopped. */
export function localnetCommand({ localnet }: LocalnetTools): Command {
  return {
    summary: 'Runs a Solana cluster on this machine, with the settlement program and nothing else.',
    usage: USAGE,
    help: HELP,
    async run(args, _, terminal) {
      const options = readOptions(args);
      const stopped = terminal.untilStopped();
      try {
        const { rpc: port } = await freePorts({
          rpc: { flag: '--rpc-port', asked: options.port, standard: STANDARD_PORT, count: 2 },
        });
        const start = await localnet();
        const log = pinoLog('error', { write: (line) => void process.stderr.write(line) });
        const { networkId, dir, faults } = options;
        const net = await start({ port, log, networkId, ...(dir && { dir }), ...(faults && { faults }) });
        try {
          tell(net, options, terminal);
          await stopped;
        } finally {
          await net.stop();
        }
        return 0;
      } catch (error) {
        if (error instanceof PortError) throw new UsageError(error.message);
        terminal.error(messageOf(error));
        return 1;
      }
    },
  };
}

type Options = ReturnType<typeof readOptions>;

function readOptions(args: readonly string[]) {
  const port = takeOption(args, 'rpc-port', 'text');
  const network = takeOption(port.rest, 'network-id', 'text');
  const data = takeOption(network.rest, 'data', 'text');
  const faults = takeOption(data.rest, 'rpc-faults', 'text');
  const json = takeOption(faults.rest, 'json', 'switch');
  if (json.rest.length > 0) throw new UsageError(`${json.rest[0]} is not an option of this command`);
  return {
    port: asked(port.value),
    networkId: network.value ?? STANDARD_NETWORK,
    dir: data.value === undefined ? undefined : resolve(data.value),
    faults: faults.value === undefined ? undefined : faultsOf(faults.value),
    json: json.value,
  };
}

function asked(text: string | undefined): number | undefined {
  try {
    return portOf('--rpc-port', text);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
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

function tell(net: Awaited<ReturnType<StartLocalnet>>, { networkId, json }: Options, terminal: Terminal): void {
  const { url, wsUrl, genesisHash, views } = net;
  const { program, config } = net.settlement;
  const mint = usdcMintOf('localnet')!;
  const rpc_urls = views.map((view) => view.url);
  // A node takes two at most.
  const used = rpc_urls.slice(0, 2);
  const rpcs = used.length > 1 ? { rpcUrls: used } : { rpcUrl: url };
  const settings = { network: { id: networkId }, ledger: { ...rpcs, program, config } };
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
