import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { happens } from '../../support/happens.ts';
import { freePort, MeshProcess, runMesh } from '../../support/mesh-process.ts';

export const SECRET = 'the-secret-of-the-operator';

/** A node or an aggregator that runs. */
export interface Started {
  readonly process: MeshProcess;
  readonly url: string;
}

export interface Localnet {
  readonly url: string;
  readonly genesis: string;
  readonly mint: string;
  /** The settings of those that settle there. */
  readonly settings: object;
}

/** Processes of one mesh, each started by its command alone, in a folder of its own. */
export class Processes {
  readonly folder: string;
  readonly #started: MeshProcess[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<Processes> {
    return new Processes(await mkdtemp(join(tmpdir(), 'mesh-test-')));
  }

  async localnet(): Promise<Localnet> {
    const process = new MeshProcess(['localnet', '--json', '--rpc-port', `${await freePort(2)}`]);
    this.#started.push(process);
    // The first process of a checkout builds it.
    const {
      rpc_url: url,
      genesis_hash: genesis,
      usdc_mint: mint,
      settings,
    } = await process.event({ event: 'ready' }, 300_000);
    return { url, genesis, mint, settings };
  }

  /** `mesh start` with these settings in its file, and these flags. */
  async start(name: string, settings: object, flags: readonly string[] = []): Promise<Started> {
    const place = join(this.folder, name);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'plugins.json'), JSON.stringify(settings));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const own = ['--config', join(place, 'plugins.json'), '--data-dir', join(place, 'data'), '--agent-name', name];
    const at = ['--api-addr', `127.0.0.1:${port}`, '--api-secret', SECRET, '--allow-private-peers'];
    const process = new MeshProcess(['start', ...own, ...at, ...flags]);
    this.#started.push(process);
    await process.until(() => process.err.includes(`at ${url}`), 'the boot report', 300_000);
    return { process, url };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#started.map((one) => one.kill()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Runs a command that must do its work, and gives what it printed as JSON. */
export async function done(...args: string[]): Promise<any> {
  const { code, out, err } = await runMesh([...args, '--json']);
  assert.equal(code, 0, `mesh ${args.join(' ')}: ${err}`);
  return JSON.parse(out);
}

export interface Asked {
  readonly body?: object | undefined;
  readonly token?: string | undefined;
}

/** One node as its callers see it: `GET /identity`. */
export class Caller {
  readonly url: string;

  constructor({ url }: Started) {
    this.url = url;
  }

  async ask(line: string, { body, token = SECRET }: Asked = {}): Promise<{ status: number; body: any }> {
    const [method, path] = line.split(' ') as [string, string];
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(this.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** The same, which must be taken. */
  async does(line: string, asked: Asked = {}): Promise<any> {
    const { status, body } = await this.ask(line, asked);
    assert.equal(status, 200, `${line}: ${JSON.stringify(body)}`);
    return body;
  }

  dealWhen(conversation: string, fits: (deal: any) => boolean, prefix = '', token?: string): Promise<any> {
    return happens(`the deal ${conversation}`, async () => {
      const { status, body } = await this.ask(`GET ${prefix}/deals/${conversation}`, { token });
      return status === 200 && fits(body) ? body : undefined;
    });
  }
}
