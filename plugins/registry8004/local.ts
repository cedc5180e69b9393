import { type Collection, collection, MeshError } from '../../core/plugin.ts';
import type { Self } from '../../core/services.ts';
import { transactionOf } from './message.ts';
import { newRegistration } from './registration.ts';
import { type Means, registeredAs } from './registrations.ts';
import type { Registered } from './shapes.ts';
import type { Site } from './site.ts';

/** The registration that this process makes of itself; another one takes its place only when it certainly failed. */
interface Local {
  readonly asset: string;
  readonly uri: string;
  /** Of its transaction. */
  readonly key: string;
}

/** Rent of the agent's account and of the asset is about 9.3 million lamports; fees and what the programs ask come on top. */
const MOST_LAMPORTS = 15_000_000n;

const locals: Collection<Local> = collection('local', { schema: 'registry8004/local' });
const own = locals.ref('own');

/** Registers the key of this process, which owns the asset and pays for it. */
export class LocalRegistration {
  readonly #means: Means & { readonly self: Self };
  readonly #site: Site;
  #last: Promise<unknown> = Promise.resolve();

  constructor(site: Site, means: Means & { readonly self: Self }) {
    this.#site = site;
    this.#means = means;
  }

  /** One at a time: the same call again gives what the first one did. */
  register(uri: string): Promise<Registered> {
    const run = this.#last.then(() => this.#register(uri));
    this.#last = run.catch(() => {});
    return run;
  }

  async #register(uri: string): Promise<Registered> {
    const { place, registry } = this.#site.requireTest();
    const { ledger, transactions, space, self, random } = this.#means;
    const before = await space.get(own);
    const state = before && (await transactions.find(before.key));
    if (before && state && state.status !== 'failed') {
      if (before.uri !== uri) throw already(before.asset, `, with the agent_uri ${JSON.stringify(before.uri)}`);
      return registeredAs(before.asset, state, ledger.cluster);
    }
    const said = await registry.byKey(self.address);
    if (said.status === 'registered') throw already(said.asset, '');
    if (said.status === 'unknown')
      throw new MeshError('ledger_unavailable', `Whether this key is registered is not known: ${said.reason}`);
    const collection = await registry.collection();
    const made = await newRegistration(ledger, random, place, { owner: self.address, uri, collection });
    const key = `local/${made.asset}`;
    const { value: counts } = await space.tx([own], (tx) => {
      // Another process of this store was faster.
      if (tx.get(own)?.key !== before?.key) return false;
      tx.put(own, { asset: made.asset, uri, key });
      return true;
    });
    if (!counts) throw new MeshError('conflict', 'Another call registers this key now; ask again.');
    const sent = await transactions.send({
      key,
      transaction: Buffer.from(transactionOf(made.message, [undefined, made.assetSignature])).toString('base64'),
      spend: { lamports: MOST_LAMPORTS },
      cosigners: [made.asset],
    });
    return registeredAs(made.asset, sent, ledger.cluster);
  }
}

function already(asset: string, how: string): MeshError {
  return new MeshError('conflict', {
    detail: `This key is registered as ${asset}${how}; nothing was sent.`,
    extra: { asset_pubkey: asset },
  });
}
