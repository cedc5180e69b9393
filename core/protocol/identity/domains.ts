import { freshBytes, putUint32, putUint64 } from '../../platform/bytes.ts';
import type { Network } from './network.ts';
import { verify } from './verify.ts';

/** Bytes of an envelope header; also the fixed part of what a version 1 envelope signs. */
export const HEADER_LENGTH = 143;

/**
 * Everything an identity key signs besides Solana transactions and agent tokens, as name/version and body layout.
 * A number is a count of bytes; `u32` and `u64` are big-endian integers; times are Unix seconds. The signed bytes:
 *
 *     FF ‖ "agent-mesh/" name "/" version ‖ 00 ‖ network[32] ‖ body
 *
 * A name has one body length for ever: a new layout is a new version. FF starts neither a Solana message, nor a
 * compact JWS, nor a version 1 envelope, and the 00 ends the name, so no two domains can mean the same bytes.
 */
export const DOMAINS = {
  'envelope/2': { header: HEADER_LENGTH },
  'noise/1': { static_key: 32, instance: 8, not_after: 'u64' },
  'owner/1': { agent_id: 32, owner: 32, nonce: 8, expires: 'u64' },
  'host/1': { host_key: 32, recovery_key: 32, not_after: 'u64' },
  'succession/1': { old_key: 32, new_key: 32, time: 'u64' },
  'heartbeat/1': { body_hash: 32, time: 'u64' },
  'leaves/1': { epoch: 'u64', count: 'u32', root: 32 },
  'capability/1': { claim_hash: 32, time: 'u64' },
  'latency/1': { body_hash: 32, time: 'u64' },
  'card/1': { card_key: 32, not_after: 'u64' },
} as const satisfies Record<string, Layout>;

type Layout = Readonly<Record<string, FieldKind>>;
type FieldKind = number | 'u32' | 'u64';

export type DomainName = keyof typeof DOMAINS;
/** The body of a domain: bytes of the layout's length, or a whole number. */
export type DomainFields<N extends DomainName> = {
  readonly [F in keyof (typeof DOMAINS)[N]]: (typeof DOMAINS)[N][F] extends number ? Uint8Array : number;
};

const DOMAIN_BYTE = 0xff;
const NETWORK_LENGTH = 32;

interface Form {
  readonly tag: Uint8Array;
  readonly fields: readonly (readonly [name: string, kind: FieldKind])[];
  readonly length: number;
}

const forms = new Map(Object.entries(DOMAINS).map(([name, layout]) => [name, formOf(name as DomainName, layout)]));

/** FF, the name and the closing 00: no two domains begin with the same bytes. */
export function domainTag(name: DomainName): Uint8Array {
  return new Uint8Array([DOMAIN_BYTE, ...Buffer.from(`agent-mesh/${name}`, 'ascii'), 0]);
}

/** The bytes to sign or verify. Fields that do not fit the layout are a programmer's error and throw. */
export function domainBytes<N extends DomainName>(name: N, network: Uint8Array, fields: DomainFields<N>): Uint8Array {
  if (network.length !== NETWORK_LENGTH) throw new RangeError(`a network id is 32 bytes, not ${network.length}`);
  const form = forms.get(name)!;
  const bytes = freshBytes(form.length);
  bytes.set(form.tag);
  bytes.set(network, form.tag.length);
  let at = form.tag.length + NETWORK_LENGTH;
  for (const [field, kind] of form.fields) {
    putField(bytes, at, field, kind, (fields as Record<string, unknown>)[field]);
    at += fieldLength(kind);
  }
  return bytes;
}

function formOf(name: DomainName, layout: Layout): Form {
  const tag = domainTag(name);
  const fields = Object.entries(layout);
  const body = fields.reduce((length, [, kind]) => length + fieldLength(kind), 0);
  return { tag, fields, length: tag.length + NETWORK_LENGTH + body };
}

function putField(bytes: Uint8Array, at: number, where: string, kind: FieldKind, value: unknown): void {
  if (typeof kind === 'number') {
    if (!(value instanceof Uint8Array && value.length === kind)) throw new RangeError(`${where} must be ${kind} bytes`);
    bytes.set(value, at);
    return;
  }
  const limit = kind === 'u32' ? 0xffff_ffff : Number.MAX_SAFE_INTEGER;
  if (!(Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= limit)) {
    throw new RangeError(`${where} must be a whole number from 0 to ${limit}`);
  }
  if (kind === 'u32') putUint32(bytes, at, Number(value));
  else putUint64(bytes, at, Number(value));
}

function fieldLength(kind: FieldKind): number {
  if (typeof kind === 'number') return kind;
  return kind === 'u32' ? 4 : 8;
}

/** Whether `signature` is `key`'s over these fields of a domain. */
export function verifyDomain<N extends DomainName>(
  name: N,
  network: Network,
  fields: DomainFields<N>,
  signature: Uint8Array,
  key: Uint8Array,
): boolean {
  return verify(domainBytes(name, network.id, fields), signature, key);
}
