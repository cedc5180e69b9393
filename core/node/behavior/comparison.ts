import type { EpochJournal } from '../../messaging/epoch-journal.ts';
import { toHex } from '../../platform/bytes.ts';
import type { LeafArchive } from '../../protocol/batches/leaf-archive.ts';
import { decodeEnvelope } from '../../protocol/envelopes/codec.ts';
import type { SignedHeader } from '../../protocol/envelopes/envelope.ts';
import { epochOfNonce, seqOfNonce } from '../../protocol/envelopes/epochs.ts';
import { encodeHeader, envelopeId } from '../../protocol/envelopes/header.ts';
import { decodeReceipt } from '../../protocol/envelopes/receipt.ts';
import { envelopeSigningBytes } from '../../protocol/envelopes/signing.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import { verify } from '../../protocol/identity/verify.ts';

/** An envelope that this node's key has signed and that its journal does not hold. */
export interface Stray {
  readonly seq: number;
  readonly id: string;
}

/**
 * Looks for envelopes of this key and epoch that an archive holds and the journal does not: then the journal is not
 * whole, and a batch of it would be dishonest. The archive's word is not enough, only the key's own signature is.
 */
export async function findStray(
  archive: LeafArchive,
  epoch: number,
  { journal, key, network }: { journal: EpochJournal; key: string; network: Network },
): Promise<Stray | undefined> {
  for await (const bytes of archive.held(key, epoch)) {
    const header = readSigned(bytes);
    if (!header || formatAgentId(header.sender) !== key || epochOfNonce(header.nonce) !== epoch) continue;
    const id = envelopeId(header);
    if (await journal.holds(header.nonce, id)) continue;
    if (isSigned(header, network)) return { seq: seqOfNonce(header.nonce), id: toHex(id) };
  }
  return undefined;
}

/** The signed header of a receipt or of a whole envelope. */
export function readSigned(bytes: Uint8Array): SignedHeader | undefined {
  const receipt = decodeReceipt(bytes);
  if (receipt.ok) return receipt.value;
  const envelope = decodeEnvelope(bytes);
  return envelope.ok && envelope.value.version === 2 ? envelope.value : undefined;
}

function isSigned(header: SignedHeader, network: Network): boolean {
  const signed = envelopeSigningBytes(network, encodeHeader(header), new Uint8Array());
  return verify(signed, header.signature, header.sender);
}
