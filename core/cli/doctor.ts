import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Settings } from '../config/configuration.ts';
import type { StartLocalnet } from '../dev/mesh.ts';
import { clusterName } from '../ledger/clusters.ts';
import { silentLog } from '../log.ts';
import { describeProblem, messageOf } from '../problem.ts';
import { type Command, command } from './command.ts';
import { checkConfigured } from './configured.ts';
import { callRpc, hostOf } from './rpc-call.ts';
import { table } from './table.ts';

/** `bad` keeps `mesh start` or `mesh dev` from working; `note` is worth knowing. */
interface Finding {
  readonly state: 'ok' | 'note' | 'bad';
  readonly name: string;
  readonly text: string;
}

/** Looks at the machine before anything is started on it. */
export function doctorCommand(localnet: () => Promise<StartLocalnet>): Command {
  return command({
    summary: 'Says whether this machine has what a node and the demo need.',
    options: {},
    flags: 'all',
    examples: ['doctor', 'doctor --config node.json'],
    async run({ options: { json }, flags }, composition, terminal) {
      const { configuration, problems } = await checkConfigured(flags, composition, terminal);
      const wrong = problems.map((problem) => bad('configuration', describeProblem(problem)));
      const findings = [
        ok('node', `Node.js ${process.versions.node} on ${process.platform}-${process.arch}`),
        ...(wrong.length > 0
          ? wrong
          : [ok('configuration', `a start as ${configuration.settings.profile} can be made`)]),
        ...folderFindings(configuration.settings.dataDir ?? ''),
        await portFinding(configuration.listen.host, configuration.listen.port),
        ...(wrong.length > 0 ? [] : await rpcFindings(configuration.settings.ledger)),
        await ledgerFinding(localnet),
        redisFinding(terminal.env['PATH'] ?? ''),
      ];
      const isWell = findings.every(({ state }) => state !== 'bad');
      if (json) terminal.out(JSON.stringify({ ok: isWell, findings }));
      else terminal.out(table(findings.map(({ state, name, text }) => [state, name, text])));
      return isWell ? 0 : 1;
    },
  });
}

function folderFindings(folder: string): Finding[] {
  if (!existsSync(folder)) {
    const parent = nearest(folder);
    return [writable(parent) ? ok('data', `${folder} will be made`) : bad('data', `${parent} cannot be written to`)];
  }
  if (!statSync(folder).isDirectory()) return [bad('data', `${folder} is no folder`)];
  if (!writable(folder)) return [bad('data', `${folder} cannot be written to`)];
  const open = ['identity.key', 'api-secret'].filter((name) => isOpen(join(folder, name)));
  if (open.length === 0) return [ok('data', `${folder} can be written to, and its secrets are private`)];
  return open.map((name) =>
    bad('data', `${join(folder, name)} can be read by others; run: chmod 600 ${join(folder, name)}`),
  );
}

function nearest(path: string): string {
  return existsSync(path) ? path : nearest(dirname(path));
}

function writable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isOpen(path: string): boolean {
  if (process.platform === 'win32') return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

async function portFinding(host: string, port: number): Promise<Finding> {
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
  if (!error) return ok('port', `${host}:${port} is free`);
  const why = error.code === 'EADDRINUSE' ? 'is busy' : `cannot be listened on (${error.code})`;
  return bad('port', `${host}:${port} ${why}; choose another with --api-addr`);
}

/** A node does not start while one of its RPCs is away, or while they are of different clusters. */
async function rpcFindings(ledger: Settings['ledger']): Promise<Finding[]> {
  const { use, rpcUrl, rpcUrls = rpcUrl === undefined ? [] : [rpcUrl] } = ledger;
  if (use !== 'solana') return [];
  const hashes = await Promise.all(
    rpcUrls.map((url) =>
      callRpc(url, 'getGenesisHash', [], 'The node cannot start without it: check --rpc-url.').then(String, (error) =>
        Promise.resolve(new Error(messageOf(error))),
      ),
    ),
  );
  const first = hashes.find((hash) => typeof hash === 'string');
  return hashes.map((hash, at): Finding => {
    const [name, host] = [`rpc ${at + 1}`, hostOf(rpcUrls[at]!)];
    if (hash instanceof Error) return bad(name, hash.message);
    if (hash !== first) return bad(name, `${host} is of another cluster than the first RPC; both must be of one`);
    return ok(name, `${host} answers, cluster ${clusterName(hash)}`);
  });
}

/** Starts the embedded ledger for a moment: nothing else tells whether its engine works on this machine. */
async function ledgerFinding(localnet: () => Promise<StartLocalnet>): Promise<Finding> {
  const dir = await mkdtemp(join(tmpdir(), 'agent-mesh-'));
  try {
    const start = await localnet();
    const ledger = await start({ port: 0, dir, log: silentLog });
    await ledger.stop();
    return ok('ledger', 'the embedded ledger of mesh dev starts');
  } catch (error) {
    return bad('ledger', messageOf(error));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function redisFinding(path: string): Finding {
  const found = path
    .split(delimiter)
    .flatMap((folder) => ['redis-server', 'valkey-server'].map((name) => join(folder, name)))
    .find((file) => existsSync(file));
  if (found) return ok('redis', found);
  return { state: 'note', name: 'redis', text: 'no redis-server here; only storage on Redis and its tests need one' };
}

function ok(name: string, text: string): Finding {
  return { state: 'ok', name, text };
}

function bad(name: string, text: string): Finding {
  return { state: 'bad', name, text };
}
