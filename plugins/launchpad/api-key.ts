import { createHash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { MeshError } from '../../core/plugin.ts';

const FILE = 'api-key.json';

interface Kept {
  readonly api_key: string;
  /** The key of the configuration that it replaced, hashed: when that is another one by now, it goes first again. */
  readonly replaced: string;
}

/**
 * The key of the launchpad: of the configuration, or set while the node runs. The latter is kept in a file of this plugin that nobody
 * else may read, so it is in no export of the store and in no answer.
 */
export class ApiKey {
  readonly #folder: () => Promise<string>;
  readonly #configured: string | undefined;
  #set: string | undefined;
  #saving: Promise<unknown> = Promise.resolve();

  private constructor(folder: () => Promise<string>, configured: string | undefined, set: string | undefined) {
    this.#folder = folder;
    this.#configured = configured;
    this.#set = set;
  }

  static async open(folder: () => Promise<string>, configured: string | undefined): Promise<ApiKey> {
    const kept = await readKept(join(await folder(), FILE));
    const holds = kept !== undefined && kept.replaced === digestOf(configured);
    return new ApiKey(folder, configured, holds ? kept.api_key : undefined);
  }

  /** Where the key of the moment comes from. */
  get source(): 'runtime' | 'configuration' {
    return this.#set === undefined ? 'configuration' : 'runtime';
  }

  value(): string {
    const key = this.#set ?? this.#configured;
    if (key !== undefined) return key;
    throw new MeshError(
      'launchpad_not_configured',
      'Start the node with --launchpad-api-key or NODE_LAUNCHPAD_API_KEY, or set a key with POST /launchpad/set-api-key.',
    );
  }

  /** Replaces the key at once; resolves when it is on disk. */
  async set(key: string): Promise<void> {
    const save = () => this.#save({ api_key: key, replaced: digestOf(this.#configured) });
    const saved = this.#saving.then(save, save);
    this.#saving = saved;
    await saved;
    this.#set = key;
  }

  async #save(kept: Kept): Promise<void> {
    const path = join(await this.#folder(), FILE);
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      // A file that an earlier try left keeps its mode otherwise.
      await file.chmod(0o600);
      await file.writeFile(JSON.stringify(kept));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
  }
}

async function readKept(path: string): Promise<Kept | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const kept = parsed(text);
  if (typeof kept?.api_key === 'string' && typeof kept.replaced === 'string') return kept as Kept;
  throw new Error(`${path} is damaged; remove it and set the key again`);
}

/** Without the error of the parser, which shows what stands in the file. */
function parsed(text: string): Partial<Kept> | undefined {
  try {
    return JSON.parse(text) as Partial<Kept>;
  } catch {
    return undefined;
  }
}

function digestOf(key: string | undefined): string {
  return createHash('sha256')
    .update(key ?? '')
    .digest('hex');
}
