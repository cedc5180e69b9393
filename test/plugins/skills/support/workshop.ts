import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../../../adapters/index.ts';
import { type RunningNode, value } from '../../../../core/host/boot/boot-node.ts';
import { startNode } from '../../../../core/host/wiring/composition.ts';
import { Resolver } from '../../../../core/internal-services.ts';
import { type Log, silentLog } from '../../../../core/platform/log.ts';
import { plugins, standard } from '../../../../plugins/index.ts';

/** The SKILL.toml of a skill, with more lines. */
export function skillToml(name: string, more = ''): string {
  return `[skill]\nname = "${name}"\ndescription = "It does ${name}."\nversion = "1.0.0"\n${more}`;
}

export function base64(text: string | Uint8Array): string {
  return Buffer.from(text).toString('base64');
}

export interface WorkshopOptions {
  /** Settings of the plugin beside its workspace. */
  readonly settings?: object;
  readonly resolver?: Resolver;
  readonly storage?: 'memory' | 'lowdb';
  /** Whether the node has a workspace; it has one unless this is false. */
  readonly workspace?: boolean;
  readonly network?: string;
}

/** A node as anybody starts it, with its standard plugins, and a workspace for skills. */
export class Workshop {
  readonly folder: string;
  readonly errors: unknown[] = [];
  readonly #options: WorkshopOptions;
  #node: RunningNode | undefined;

  private constructor(folder: string, options: WorkshopOptions) {
    this.folder = folder;
    this.#options = options;
  }

  static async open(options: WorkshopOptions = {}): Promise<Workshop> {
    const workshop = new Workshop(await mkdtemp(join(tmpdir(), 'mesh-skills-')), options);
    await workshop.start();
    return workshop;
  }

  get workspace(): string {
    return join(this.folder, 'workspace');
  }

  get node(): RunningNode {
    return this.#node!;
  }

  /** A path within the folder of all skills. */
  at(...names: string[]): string {
    return join(this.workspace, 'skills', ...names);
  }

  text(name: string): Promise<string> {
    return readFile(this.at(name, 'SKILL.toml'), 'utf8');
  }

  async start(): Promise<void> {
    const { settings, resolver, storage = 'memory', workspace = true, network = 'local' } = this.#options;
    const log: Log = { ...silentLog, error: (fields) => void this.errors.push(fields), child: () => log };
    const skills = { ...(workspace && { workspace: this.workspace }), ...settings };
    this.#node = await startNode({
      parts: { adapters, plugins, standard },
      log,
      grace: 500,
      ...(resolver && { providers: [value(Resolver, resolver)] }),
      config: {
        folder: this.folder,
        value: {
          ...{ listen: '127.0.0.1:0', dataDir: join(this.folder, 'data'), network: { id: network } },
          ...{ storage: { use: storage }, api: { unlimited: ['127.0.0.1'] }, plugins: { skills } },
        },
      },
    });
  }

  async stop(): Promise<void> {
    assert.deepEqual(await this.node.stop(), []);
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
    assert.deepEqual(this.errors, [], 'nothing failed inside');
  }

  async call(line: string, body?: unknown, headers: object = { authorization: `Bearer ${this.node.apiSecret}` }) {
    const [method, path] = line.split(' ') as [string, string];
    const response = await fetch(this.node.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as any };
  }

  write(name: string, text: string | Uint8Array) {
    return this.call('POST /skill/write', { name, content_b64: base64(text) });
  }

  install(url: string, name?: string) {
    return this.call('POST /skill/install-url', { url, name });
  }

  remove(name: string) {
    return this.call('POST /skill/remove', { name });
  }

  async list() {
    const { status, body } = await this.call('GET /skill/list');
    assert.equal(status, 200, JSON.stringify(body));
    return body as { skills: string[]; details: any[] };
  }
}
