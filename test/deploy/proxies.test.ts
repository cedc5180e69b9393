import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import type { RunningNode } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { eventually } from '../support/eventually.ts';
import { happens } from '../support/happens.ts';
import { freePort } from '../support/mesh-process.ts';
import { watch } from '../support/sockets.ts';
import { findProgram } from './programs.ts';

const HOST = 'mesh.example.org';

interface Proxy {
  readonly program: string;
  /** Writes its configuration into a folder and gives the arguments that run it in the foreground. */
  prepare(folder: string, at: Ports): Promise<string[]>;
  readonly env?: (folder: string, at: Ports) => Record<string, string>;
}

interface Ports {
  readonly https: number;
  readonly http: number;
  readonly upstream: number;
}

const proxies: readonly Proxy[] = [
  {
    program: 'nginx',
    async prepare(folder, { https, http, upstream }) {
      const site = (await deployed('nginx.conf'))
        .replaceAll(/listen (\[::\]:)?443/g, (_, six = '') => `listen ${six || '127.0.0.1:'}${https}`)
        .replaceAll(/listen (\[::\]:)?80;/g, (_, six = '') => `listen ${six || '127.0.0.1:'}${http};`)
        .replaceAll(/^ *listen \[::\].*$/gm, '')
        .replace('127.0.0.1:9090', `127.0.0.1:${upstream}`)
        .replaceAll(/\/etc\/letsencrypt\/live\/mesh\.example\.org/g, folder);
      await writeFile(join(folder, 'site.conf'), site);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${join(folder, name)};`,
      );
      const main = `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr warn; events {}
        http { access_log off; ${temporary.join(' ')} include ${folder}/site.conf; }`;
      await writeFile(join(folder, 'nginx.conf'), main);
      return ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
    },
  },
  {
    program: 'caddy',
    async prepare(folder, { https, http }) {
      // A name that is not ours gets a certificate of Caddy's own authority instead of a public one.
      const options = `{\n  admin off\n  https_port ${https}\n  http_port ${http}\n  skip_install_trust\n  local_certs\n}\n`;
      await writeFile(join(folder, 'Caddyfile'), options + (await deployed('Caddyfile')));
      return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
    },
    env: (folder, { upstream }) => ({
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      MESH_HOST: HOST,
      MESH_UPSTREAM: `127.0.0.1:${upstream}`,
    }),
  },
];

for (const { program, prepare, env } of proxies) {
  const file = findProgram(program);

  describe(`an aggregator behind deploy/ of ${program}`, function () {
    this.timeout(60_000);
    let folder = '';
    let node: RunningNode | undefined;
    let proxy: ChildProcess | undefined;
    let said = '';
    let https = 0;
    before(async function () {
      if (file === undefined) return this.skip();
      folder = await mkdtemp(join(tmpdir(), 'mesh-deploy-'));
      certify(folder);
      const settings = JSON.parse(await deployed('aggregator.json'));
      const value = { ...settings, listen: '127.0.0.1:0', dataDir: join(folder, 'data'), storage: { use: 'memory' } };
      node = await startNode({ parts: { adapters, plugins: {} }, log: silentLog, config: { value, folder } });
      const first = await freePort(2);
      https = first;
      const ports = { https, http: first + 1, upstream: node.port };
      const args = await prepare(folder, ports);
      proxy = spawn(file, args, {
        env: { ...process.env, ...env?.(folder, ports) },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [proxy.stdout!, proxy.stderr!])
        stream.on('data', (chunk) => {
          said += chunk;
        });
      await eventually(async () => (await ask('/health').catch(() => undefined))?.status === 200);
    });
    after(async () => {
      if (proxy && proxy.exitCode === null) {
        const ended = new Promise((resolve) => proxy!.once('exit', resolve));
        proxy.kill('SIGTERM');
        await ended;
      }
      await node?.stop();
      if (folder) await rm(folder, { recursive: true, force: true });
    });

    function ask(path: string, body?: Buffer, headers: Record<string, string> = {}) {
      const options = { port: https, path, servername: HOST, rejectUnauthorized: false };
      return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
        const call = request(
          { ...options, method: body ? 'POST' : 'GET', headers: { host: HOST, ...headers } },
          (answer) => {
            let text = '';
            answer.on('data', (chunk) => {
              text += chunk;
            });
            answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text }));
          },
        );
        call.on('error', reject);
        call.end(body);
      });
    }

    it('answers under its public name over TLS', async () => {
      const { status, text } = await ask('/version');
      assert.equal(status, 200, said);
      assert.match(text, /"version"/);
    });

    it('has its streams, through the upgrade', async () => {
      const { socket, closed } = watch(`https://127.0.0.1:${https}/ws/activity`, [], {
        headers: { host: HOST },
        rejectUnauthorized: false,
        ...{ servername: HOST },
      });
      await new Promise((resolve, reject) => {
        socket.once('open', resolve);
        socket.once('error', reject);
      });
      socket.close(1000);
      assert.equal((await closed).code, 1000);
    });

    it('counts its limits by the address the proxy saw, whatever a caller claims', async () => {
      const remaining = async (claimed: string) => {
        const { headers } = await ask('/version', undefined, { 'x-forwarded-for': claimed });
        const told = String(headers['ratelimit'] ?? headers['ratelimit-remaining'])
          .split('r=')
          .at(-1)!;
        return Number(/\d+/.exec(told)![0]);
      };
      const before = await remaining('203.0.113.7');
      // The limit gives back by and by, faster than a busy machine spends: then it is tried again. Were each claimed address counted, none would ever
      // have spent more than its own calls.
      await happens('many claimed addresses have spent from one limit', async () => {
        const found = await Promise.all(Array.from({ length: 100 }, (_, index) => remaining(`203.0.114.${index}`)));
        return Math.min(...found) < before - 40 || undefined;
      });
    });

    it('refuses what is too large before the aggregator sees it', async () => {
      const answer = await ask('/ingest/envelopes', Buffer.alloc(12 * 1024 * 1024), {
        'content-type': 'application/json',
      }).catch((error: Error & { code?: string }) => error);
      if (answer instanceof Error) assert.match(String((answer as { code?: string }).code), /EPIPE|ECONNRESET/);
      else assert.equal(answer.status, 413);
    });
  });
}

function deployed(name: string): Promise<string> {
  return readFile(join(packageRoot, 'deploy', name), 'utf8');
}

/** A certificate of the test's own. */
function certify(folder: string): void {
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files];
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}
