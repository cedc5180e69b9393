import bs58 from 'bs58';
import type { LedgerAccounts, LedgerLifetime, Random } from '../../core/services.ts';
import { AssetKey } from './keys.ts';
import { type Built, messageOf } from './message.ts';
import { ASSETS, type Place, SYSTEM } from './places.ts';

/** SHA-256 of `global:register`, its first eight bytes. */
const REGISTER = [211, 124, 67, 15, 211, 194, 178, 240];
/** The program's own limit. */
export const MAX_URI_BYTES = 250;

/** A registration that lacks its owner's signature alone. */
export interface Registration {
  readonly asset: string;
  readonly owner: string;
  readonly message: Uint8Array;
  readonly assetSignature: Uint8Array;
  readonly lifetime: LedgerLifetime;
}

export interface Terms {
  readonly owner: string;
  readonly uri: string;
  readonly collection: string;
}

/** The instruction that registers an asset for its owner, who pays its rent. */
export function registerInstruction(
  ledger: Pick<LedgerAccounts, 'derive'>,
  { program }: Place,
  { owner, uri, collection, asset }: Terms & { readonly asset: string },
): Built {
  const derived = (kind: string, ...of: readonly string[]) =>
    ledger.derive(program, [Buffer.from(kind), ...of.map((address) => bs58.decode(address))]);
  const text = Buffer.from(uri, 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return {
    program,
    roles: [
      { address: derived('root_config') },
      { address: derived('registry_config', collection) },
      { address: derived('agent', asset), writes: true },
      { address: asset, signs: true, writes: true },
      { address: collection, writes: true },
      { address: owner, signs: true, writes: true },
      { address: SYSTEM },
      { address: ASSETS },
    ],
    data: Buffer.concat([Uint8Array.from(REGISTER), length, text]),
  };
}

/** Makes a key for a new asset and signs with it; the key is kept nowhere. */
export async function newRegistration(
  ledger: LedgerAccounts,
  random: Random,
  place: Place,
  terms: Terms,
): Promise<Registration> {
  const key = new AssetKey(random.bytes(32));
  const asset = bs58.encode(key.publicKey);
  const lifetime = await ledger.lifetime();
  const message = messageOf(registerInstruction(ledger, place, { ...terms, asset }), terms.owner, lifetime.blockhash);
  return { asset, owner: terms.owner, message, assetSignature: key.sign(message), lifetime };
}
