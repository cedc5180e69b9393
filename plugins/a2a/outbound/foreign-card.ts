import { invalidField, MeshError } from '../../../core/plugin.ts';
import type { Http, Signatures } from '../../../core/services.ts';
import { isShallow } from '../protocol/depth.ts';
import { DEAL_EXTENSION } from '../protocol/objects.ts';
import { keyBehind, type NamedKey, readSignatures } from './card-signatures.ts';
import { cleaned } from './foreign-objects.ts';
import type { ForeignAgent } from './records.ts';

const WELL_KNOWN = '/.well-known/agent-card.json';
const TIMEOUT = 10_000;
const MOST_BYTES = 128 * 1024;
const MOST_NAME = 128;
const MOST_EXTENSIONS = 32;
const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;

/** The URL of the card: as given where it names a JSON document, else the well-known one below the address. */
export function cardUrl(given: string): string {
  const url = webUrl(given);
  if (!url) throw invalidField('/card_url', 'must be an http: or https: URL without a user or password');
  url.hash = '';
  if (!url.pathname.endsWith('.json')) url.pathname = `${url.pathname.replace(/\/+$/, '')}${WELL_KNOWN}`;
  return url.href;
}

export interface CardMeans {
  readonly http: Http;
  readonly signatures: Signatures;
  /** The mesh of this node. */
  readonly network: string;
  /** Takes cards alone that a key of their own host has signed. */
  readonly signedOnly: boolean;
  readonly signal: AbortSignal;
}

/** Reads and checks the card of an agent elsewhere. A card whose signature does not hold is refused. */
export async function readCard(means: CardMeans, url: string): Promise<ForeignAgent> {
  const { http, signal } = means;
  const { url: from, value } = await documentAt(http, url, signal);
  const { origin } = new URL(from);
  // The owner named a host; one that this host leads to shall get no call and no token.
  if (origin !== new URL(url).origin)
    throw noCard(url, `it leads to ${origin}; name the card there if that is the agent you mean`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw noCard(url, 'it is not a JSON object');
  if (!isShallow(value)) throw noCard(url, 'it is nested too deeply');
  const card = value as Record<string, unknown>;
  const { name, supportedInterfaces, signatures } = card;
  if (typeof name !== 'string' || name === '') throw noCard(url, 'it has no name');
  const found = interfaceOf(supportedInterfaces, origin);
  if (!found) throw noCard(url, 'it has no interface of A2A 1.0 over JSONRPC or HTTP+JSON at its own host');
  const signature = await checkedSignature(means, { card, signatures, url });
  if (means.signedOnly && signature !== 'valid')
    throw noCard(url, 'no key of its own host has signed it, which outbound.signed of the plugin a2a asks for');
  return { name: cleaned(name, MOST_NAME), ...found, signature };
}

/** The first interface that this node speaks, at the host of the card: a card of others shall lead no token and no call elsewhere. */
function interfaceOf(listed: unknown, origin: string): Pick<ForeignAgent, 'url' | 'binding' | 'tenant'> | undefined {
  if (!Array.isArray(listed)) return undefined;
  for (const one of listed.slice(0, 32)) {
    const { url, protocolBinding, protocolVersion, tenant } = (one ?? {}) as Record<string, unknown>;
    const binding = BINDINGS.find((name) => name === protocolBinding);
    if (!binding || typeof url !== 'string' || webUrl(url)?.origin !== origin) continue;
    if (new URL(url).search !== '' || new URL(url).hash !== '') continue;
    if (typeof protocolVersion !== 'string' || !/^1\.\d+$/.test(protocolVersion)) continue;
    return { url, binding, tenant: typeof tenant === 'string' && tenant !== '' ? tenant : null };
  }
  return undefined;
}

interface ReadCard {
  readonly card: object;
  readonly signatures: unknown;
  readonly url: string;
}

async function checkedSignature(
  { http, signal, ...means }: CardMeans,
  { card, signatures, url }: ReadCard,
): Promise<ForeignAgent['signature']> {
  if (signatures !== undefined && !Array.isArray(signatures)) throw noCard(url, 'its signatures are no list');
  const { readable, hasBroken } = readSignatures(signatures ?? []);
  // A key set of another host proves nothing about this one.
  const here = readable.filter(({ jku }) => isAt(jku, url));
  const sets = new Map<string, readonly NamedKey[]>();
  let key: NamedKey | undefined;
  for (const one of here) {
    const keys = sets.get(one.jku) ?? (await keysAt(http, one.jku, signal));
    sets.set(one.jku, keys);
    key = keyBehind(card, one, keys);
    if (key) break;
  }
  if (!key && (here.length > 0 || hasBroken)) throw noCard(url, 'its signature does not hold');
  await checkCertificate(means, { card, url }, key);
  if (key) return 'valid';
  return signatures === undefined || signatures.length === 0 ? 'none' : 'unchecked';
}

/** A card that says that an agent of this mesh stands behind it has that agent's word for the key that signed it, until a time to come. */
async function checkCertificate(
  { signatures, network }: Pick<CardMeans, 'signatures' | 'network'>,
  { card, url }: Pick<ReadCard, 'card' | 'url'>,
  key: NamedKey | undefined,
): Promise<void> {
  const { capabilities } = card as { readonly capabilities?: unknown };
  const { extensions } = Object(capabilities) as { readonly extensions?: unknown };
  const listed = Array.isArray(extensions) ? extensions.slice(0, MOST_EXTENSIONS) : [];
  for (const { uri, params } of listed.map((one) => Object(one) as Record<string, unknown>)) {
    const said = Object(params) as Record<string, unknown>;
    if (uri !== DEAL_EXTENSION || said['network'] !== network) continue;
    const [agentId, cardKey, hex] = ['node_id', 'card_key', 'signature'].map((name) => String(said[name]));
    const notAfter = Number(said['not_after']);
    const certificate = { cardKey: Buffer.from(cardKey!, 'base64url'), signature: Buffer.from(hex!, 'hex') };
    if (key?.kty !== 'OKP' || key.x !== cardKey) throw noCard(url, 'the key that its agent names did not sign it');
    if (!(await signatures.cardKey({ agentId: agentId!, notAfter, ...certificate })))
      throw noCard(url, "its agent's word for its key does not hold, or has ended");
  }
}

async function keysAt(http: Http, jku: string, signal: AbortSignal): Promise<readonly NamedKey[]> {
  const { url, value } = await documentAt(http, jku, signal);
  if (!isAt(url, jku)) throw noCard(jku, `the keys are at ${new URL(url).origin}, which says nothing about this host`);
  return keysIn(value);
}

function isAt(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

function keysIn(value: unknown): readonly NamedKey[] {
  const { keys } = (value ?? {}) as { readonly keys?: unknown };
  return Array.isArray(keys) ? keys.slice(0, 64).filter((key) => typeof key === 'object' && key !== null) : [];
}

async function documentAt(http: Http, url: string, signal: AbortSignal): Promise<{ url: string; value: unknown }> {
  const headers = { accept: 'application/json', 'a2a-version': '1.0' };
  const answer = await http.request(url, { headers, timeout: TIMEOUT, maxBytes: MOST_BYTES, publicOnly: true, signal });
  if (answer.status !== 200) throw noCard(url, `the answer has the status ${answer.status}`);
  try {
    return { url: answer.url, value: JSON.parse(answer.text()) };
  } catch {
    throw noCard(url, 'it is not JSON');
  }
}

function webUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    return undefined;
  return url;
}

function noCard(url: string, reason: string): MeshError {
  const { origin, pathname } = new URL(url);
  return new MeshError('upstream_failed', `${origin}${pathname} is no card of an A2A agent: ${reason}.`);
}
