import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../core/platform/package-root.ts';
import { happens } from '../support/happens.ts';
import { lacksNamespaces, Namespace } from './namespaces.ts';

const run = promisify(execFile);

const PORT = 9090;
const SECRET = 'the-secret-of-these-operators';
/** Calls from within a namespace: nobody outside reaches it. */
const CALL = `
const [url, method, body] = process.argv.slice(1);
const headers = { authorization: 'Bearer ${SECRET}', ...(body && { 'content-type': 'application/json' }) };
const response = await fetch(url, { method, headers, ...(body && { body }) });
process.stdout.write(await response.text());`;
/** Packets that nobody behind the router has asked for end at it. */
const NAT = `
add table ip nat
add chain ip nat out { type nat hook postrouting priority 100 ; }
add rule ip nat out oifname "wan" masquerade
add table ip wall
add chain ip wall through { type filter hook forward priority 0 ; policy drop ; }
add rule ip wall through ct state established,related accept
add rule ip wall through iifname "lan" accept`;

/** A node as a process in a namespace. */
class Inside {
  readonly #at: Namespace;
  readonly #stop: () => Promise<unknown>;
  id = '';

  constructor(at: Namespace, stop: () => Promise<unknown>) {
    this.#at = at;
    this.#stop = stop;
  }

  stop(): Promise<unknown> {
    return this.#stop();
  }

  async ask(line: string, body?: object): Promise<any> {
    const text = await this.#call(line, body);
    return JSON.parse(text);
  }

  async metric(name: string): Promise<number> {
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(await this.#call('GET /metrics'))?.[1]);
  }

  async #call(line: string, body?: object): Promise<string> {
    const [method, path] = line.split(' ') as [string, string];
    const [program, ...enter] = this.#at.enter;
    const script = ['--input-type=module', '-e', CALL, `http://127.0.0.1:${PORT}${path}`, method];
    const given = body ? [JSON.stringify(body)] : [];
    const { stdout } = await run(program!, [...enter, process.execPath, ...script, ...given]);
    return stdout;
  }
}

describe('nodes behind NAT, in network namespaces', function () {
  this.timeout(600_000);
  const spaces: Namespace[] = [];
  const nodes: Inside[] = [];
  let folder = '';
  let [hub, alice, bob, carol] = [] as unknown as [Inside, Inside, Inside, Inside];
  let open: Namespace;
  let internet: Namespace;

  before(async function () {
    const why = await lacksNamespaces();
    if (why !== undefined) {
      process.stderr.write(`      SKIPPED: NAT in network namespaces ${why}\n`);
      this.skip();
    }
    folder = await mkdtemp(join(tmpdir(), 'mesh-nat-'));
    internet = await space();
    const [left, right] = [await home(1), await home(2)];
    open = await space(internet);
    await internet.connect(open, ['to3', '5.9.3.1/24'], ['wan', '5.9.3.2/24']);
    await open.sh('ip route add default via 5.9.3.1');
    hub = await start('aggregator', internet, ['--profile', 'aggregator', '--api-addr', `0.0.0.0:${PORT}`]);
    const toAll = ['--aggregator-url', `http://5.9.3.1:${PORT}`];
    alice = await start('alice', left, toAll);
    bob = await start('bob', right, toAll);
    const publicly = ['--public-api-addr', `0.0.0.0:${PORT}`, '--public-api-url', `http://5.9.3.2:${PORT}`];
    carol = await start('carol', open, [...toAll, ...publicly]);
  });
  after(async () => {
    for (const node of nodes) await node.stop();
    for (const one of spaces.reverse()) await one.end();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  async function space(within?: Namespace): Promise<Namespace> {
    const made = await Namespace.make(within);
    spaces.push(made);
    return made;
  }

  /** A machine in a private network, whose router alone has a public address. All such networks have the same addresses. */
  async function home(number: number): Promise<Namespace> {
    const router = await space(internet);
    const machine = await space(internet);
    const there = `5.9.${number}`;
    await internet.connect(router, [`to${number}`, `${there}.1/24`], ['wan', `${there}.2/24`]);
    await router.connect(machine, ['lan', '10.0.0.1/24'], ['eth', '10.0.0.2/24']);
    await machine.sh('ip route add default via 10.0.0.1');
    await router.sh(`ip route add default via ${there}.1; nft -f - <<'RULES'\n${NAT}\nRULES`);
    return machine;
  }

  async function start(name: string, at: Namespace, flags: readonly string[]): Promise<Inside> {
    const place = join(folder, name);
    const config = join(folder, `${name}.json`);
    await writeFile(config, JSON.stringify({ network: { id: 'nat' }, mesh: { beaconSecs: 5 } }));
    const own = ['--config', config, '--data-dir', place, '--agent-name', name, '--api-secret', SECRET];
    const address = flags.some((flag) => flag.endsWith('-addr')) ? [] : ['--api-addr', `127.0.0.1:${PORT}`];
    const [program, ...enter] = at.enter;
    const mesh = [process.execPath, join(packageRoot, 'bin', 'mesh.js'), 'start', ...own, ...address, ...flags];
    const child = spawn(program!, [...enter, ...mesh], { stdio: ['ignore', 'ignore', 'pipe'] });
    let report = '';
    child.stderr!.on('data', (chunk) => {
      report += chunk;
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const node = new Inside(at, async () => {
      child.kill('SIGKILL');
      await ended;
    });
    nodes.push(node);
    // The first process of a checkout builds it.
    const up = async () => {
      assert.equal(child.exitCode, null, report);
      return / at http/.test(report) || undefined;
    };
    await happens(`${name} is up`, up, 300_000);
    node.id = (await node.ask('GET /identity')).agent_id;
    return node;
  }

  const said = (from: Inside, to: Inside, text: string) =>
    happens(`${text} is delivered`, async () => {
      const { status } = await from.ask('POST /message', { recipient: to.id, text });
      return status === 'delivered' || undefined;
    });

  it('are told by a hub whether they can be dialled: the one with a public address, and no other', async () => {
    await happens('carol is reached', async () => (await carol.metric('mesh_reachable')) === 1 || undefined, 60_000);
    for (const hidden of [alice, bob]) assert.notEqual(await hidden.metric('mesh_reachable'), 1);
  });

  it('reach each other over the hub, where neither can be dialled', async () => {
    await said(alice, bob, 'a message over the hub');
    await said(bob, alice, 'its answer');
    assert.ok((await hub.metric('mesh_relay_circuits')) >= 1);
    for (const hidden of [alice, bob]) assert.equal(await hidden.metric('mesh_upgrades'), 0);
  });

  it('go on directly with one that can be dialled and came to them over the hub, which sees their router alone', async () => {
    for (const hidden of [alice, bob]) {
      await said(carol, hidden, 'a message over the hub');
      const isDirect = async () => (await hidden.metric('mesh_upgrades')) >= 1 || undefined;
      await happens('the session is direct', isDirect, 60_000);
      await said(carol, hidden, 'another one, without the hub');
      await said(hidden, carol, 'its answer');
    }
    const peers = open.connectionsTo(PORT);
    for (const router of ['5.9.1.2', '5.9.2.2']) assert.ok(peers.includes(router), peers.join());
  });
});
