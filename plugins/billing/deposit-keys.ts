import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import bs58 from 'bs58';
import type { Space } from '../../core/services.ts';
import { evmAddressOf } from './evm-address.ts';
import type { Cosigner } from './settlement/solana/transaction.ts';
import { marks } from './stored.ts';

const FILE = 'deposit-secret';
const FORM = /^[0-9a-f]{64}\n$/;
/** The bytes before a 32-byte seed in a PKCS #8 key of Ed25519. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The keys of deposit addresses, each derived from one secret and the agent. None of them is ever written down. */
export class DepositKeys {
  readonly #secret: Buffer;

  private constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /**
   * The secret of the configuration, or of a file that only this user reads, which is made when it is missing. Throws when another secret was
   * used before: the money at its addresses would be out of reach.
   */
  static async open(configured: string | undefined, folder: () => Promise<string>, space: Space): Promise<DepositKeys> {
    const secret = configured === undefined ? await readOrMake(await folder()) : Buffer.from(configured);
    const value = createHash('sha256').update('agent-mesh/billing/secret\n').update(secret).digest('hex');
    const ref = marks.ref('secret');
    const { value: known } = await space.tx([ref], (tx) => {
      const before = tx.get(ref)?.value;
      if (before === undefined) tx.put(ref, { value });
      return before ?? value;
    });
    if (known === value) return new DepositKeys(secret);
    throw new Error(
      'The deposit addresses of this store come from another secret than this one. Put the former secret back: plugins.billing.secret, or the file deposit-secret in the folder of the plugin.',
    );
  }

  /** The wallet at which this agent deposits. */
  depositor(agent: string): Cosigner {
    return this.#key(`deposit\n${agent}`);
  }

  /** The address of an agent at the gateway, the same on every EVM chain. */
  evmDepositor(agent: string): Promise<string> {
    return evmAddressOf(this.#seed('evm', `deposit\n${agent}`));
  }

  /** The account that holds the message of a burn while the service reads it. */
  event(withdrawal: string): Cosigner {
    return this.#key(`event\n${withdrawal}`);
  }

  #key(words: string): Cosigner {
    const seed = this.#seed('solana', words);
    const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
    return { address: addressOf(key), sign: (message) => sign(null, message, key) };
  }

  #seed(kind: 'solana' | 'evm', words: string): Buffer {
    return createHmac('sha256', this.#secret).update(`agent-mesh/billing/1\n${kind}\n${words}`).digest();
  }
}

function addressOf(key: KeyObject): string {
  return bs58.encode(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32));
}

async function readOrMake(folder: string): Promise<Buffer> {
  const path = join(folder, FILE);
  const text = (await readText(path)) ?? (await make(folder, path));
  if (!FORM.test(text))
    throw new Error(`${path} is damaged: it must hold 64 hex digits and a line feed. Put back a copy of it.`);
  return Buffer.from(text.trim(), 'hex');
}

/** Written whole and on the disk before it has its name, so that a crash leaves no half of it; who comes second reads the first one's. */
async function make(folder: string, path: string): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString('hex')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  const directory = await open(folder, 'r');
  await directory.sync().finally(() => directory.close());
  return readFile(path, 'utf8');
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
