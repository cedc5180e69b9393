import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { collection, invalidField, isMeshError, MeshError } from '../../core/plugin.ts';
import type { Clock, LedgerAccounts, Random, Space, TransactionState, Transactions } from '../../core/services.ts';
import { isSignedBy } from './keys.ts';
import { partsOf, transactionOf } from './message.ts';
import { explorerOf } from './places.ts';
import { newRegistration } from './registration.ts';
import type { Prepared, Registered, SubmitRequest } from './shapes.ts';
import type { Site } from './site.ts';

/** A transaction that somebody else is to sign, by the hash of its message. */
export interface Stored {
  readonly asset: string;
  readonly owner: string;
  readonly asset_signature: string;
  readonly blockhash: string;
  readonly last_valid_block_height: number;
  readonly made_after: number;
  readonly at: number;
  /** Set by the first submission; no other counts. */
  readonly owner_signature?: string;
}

export interface Means {
  readonly ledger: LedgerAccounts;
  readonly transactions: Transactions;
  readonly space: Space;
  readonly clock: Clock;
  readonly random: Random;
}

/** A blockhash is good for 150 blocks of 400 ms, or less. */
const LIFE_MS = 60_000;
/** Blocks can be slow, but not as slow as this: then it is not even tried. */
const DEAD_MS = 180_000;
const UNSIGNED_MS = 600_000;
/** How long a submission can be asked about. */
const SUBMITTED_MS = 30 * 24 * 3_600_000;
const MOST_UNSIGNED = 10_000;
const SIGNERS = 2;

const unsigned = collection<Stored>('prepared', { schema: 'registry8004/prepared', ttl: UNSIGNED_MS });
const submitted = collection<Stored>('submitted', { schema: 'registry8004/prepared', ttl: SUBMITTED_MS });

/** Registrations whose owner signs elsewhere. Only those made here are sent, each once. */
export class Registrations {
  readonly #means: Means;
  readonly #site: Site;

  constructor(site: Site, means: Means) {
    this.#site = site;
    this.#means = means;
  }

  async prepare(owner: string, uri: string): Promise<Prepared> {
    const { ledger, random, space, clock } = this.#means;
    const { place, registry } = this.#site.requireTest();
    if ((await space.count(unsigned)) >= MOST_UNSIGNED)
      throw new MeshError('rate_limited', { detail: `${MOST_UNSIGNED} registrations are prepared.`, retryAfter: 600 });
    const collection = await registry.collection();
    const made = await newRegistration(ledger, random, place, { owner, uri, collection });
    const { asset, message, assetSignature, lifetime } = made;
    const at = clock.now();
    const stored: Stored = {
      ...{ asset, owner, at, asset_signature: base64(assetSignature), blockhash: lifetime.blockhash },
      ...{ last_valid_block_height: lifetime.lastValidBlockHeight, made_after: lifetime.madeAfter },
    };
    await space.tx([], (tx) => tx.put(unsigned.ref(hashOf(message)), stored));
    return {
      transaction_b64: base64(transactionOf(message, [undefined, assetSignature])),
      asset_pubkey: asset,
      message_b64: base64(message),
      signing_hint: 'Sign the bytes of message_b64 with the key of owner_pubkey (Ed25519), and submit the 64 bytes.',
      last_valid_block_height: lifetime.lastValidBlockHeight,
      expires_at: new Date(at + LIFE_MS).toISOString(),
    };
  }

  async submit(request: SubmitRequest): Promise<Registered> {
    this.#site.requireTest();
    const { transactions, clock } = this.#means;
    const parts = partsOf(bytesOf(request.transaction_b64, '/transaction_b64'), SIGNERS);
    if (!parts) throw invalidField('/transaction_b64', `is no transaction of ${SIGNERS} signers`);
    const { message, signatures } = parts;
    const hash = hashOf(message);
    const stored = await this.#storedOf(hash);
    const signature = bytesOf(request.owner_signature_b64, '/owner_signature_b64');
    this.#checkSigned(stored, message, signatures, signature);
    const key = `register/${hash}`;
    const before = stored.owner_signature === undefined ? undefined : await transactions.find(key);
    if (before && before.status !== 'pending') return this.#registered(stored, before);
    if (!before && clock.now() - stored.at > DEAD_MS) throw expired();
    const claimed = await this.#claim(hash, base64(signature));
    const bytes = transactionOf(message, [Buffer.from(claimed, 'base64'), signatures[1]]);
    const state = await transactions
      .relay({ key, transaction: base64(bytes), lifetime: lifetimeOf(stored) })
      .catch((error: unknown) => {
        throw isMeshError(error) && error.message.includes('BlockhashNotFound') ? expired() : error;
      });
    return this.#registered(stored, state);
  }

  async #storedOf(hash: string): Promise<Stored> {
    const [sent, prepared] = await this.#means.space.getMany([submitted.ref(hash), unsigned.ref(hash)]);
    const stored = sent ?? prepared;
    if (stored) return stored;
    throw new MeshError('registration_unknown', 'It was not prepared here, or more than ten minutes ago.');
  }

  #checkSigned(stored: Stored, message: Uint8Array, [owners, assets]: readonly Uint8Array[], given: Uint8Array): void {
    if (given.length !== 64) throw invalidField('/owner_signature_b64', 'must be 64 bytes in base64');
    if (base64(assets!) !== stored.asset_signature)
      throw invalidField('/transaction_b64', 'has another signature of the asset than was prepared');
    if (owners!.some(Boolean) && Buffer.compare(owners!, given) !== 0)
      throw invalidField('/transaction_b64', "has another signature in the owner's place than owner_signature_b64");
    if (!isSignedBy(bs58.decode(stored.owner), message, given))
      throw invalidField('/owner_signature_b64', `is not the signature of ${stored.owner} for this transaction`);
  }

  /** The owner's signature that counts: that of the first submission, whichever process had it. */
  async #claim(hash: string, signature: string): Promise<string> {
    const [from, to] = [unsigned.ref(hash), submitted.ref(hash)];
    const { value } = await this.#means.space.tx([from, to], (tx) => {
      const [known, found] = [tx.get(to), tx.get(from)];
      if (known?.owner_signature !== undefined) return known.owner_signature;
      if (found === undefined) throw new MeshError('registration_unknown', 'It is forgotten by now: prepare another.');
      tx.del(from);
      tx.put(to, { ...found, owner_signature: signature });
      return signature;
    });
    return value;
  }

  #registered({ asset }: Pick<Stored, 'asset'>, state: TransactionState): Registered {
    return registeredAs(asset, state, this.#means.ledger.cluster);
  }
}

/** The answer about a transaction that was sent; throws when it has failed. */
export function registeredAs(
  asset: string,
  { signature, status, reason }: TransactionState,
  cluster: string | undefined,
): Registered {
  if (status === 'failed' && reason === 'expired') throw expired();
  if (status === 'failed')
    throw new MeshError('registration_failed', {
      detail: `The ledger refused the registration (${reason}); nothing was registered.`,
      extra: { signature },
    });
  return { signature, asset_pubkey: asset, explorer: explorerOf(signature, cluster), status };
}

function expired(): MeshError {
  return new MeshError('registration_expired', 'The ledger takes this transaction no more; prepare another one.');
}

function lifetimeOf({ blockhash, last_valid_block_height: lastValidBlockHeight, made_after: madeAfter }: Stored) {
  return { blockhash, lastValidBlockHeight, madeAfter };
}

function hashOf(message: Uint8Array): string {
  return createHash('sha256').update(message).digest('hex');
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function bytesOf(text: string, pointer: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw invalidField(pointer, 'must be base64');
  return bytes;
}
