import { MeshError } from '../../../contracts/errors.ts';
import { publicAddressesOnly, type Resolver } from '../../../platform/address-filter.ts';
import { messageOf } from '../../../platform/problem.ts';
import type { Asker } from '../../../provider.ts';

const LONGEST_URL = 8_192;
const USUAL_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** The address that a plugin wants to call, as the URL standard reads it. Throws when no plugin may call such a URL. */
export function readUrl(text: string): URL {
  const url = text.length <= LONGEST_URL && URL.canParse(text) ? new URL(text) : undefined;
  const problem = url ? problemOf(url) : 'It is no URL that can be called.';
  if (!url || problem) throw new MeshError('invalid_request', problem);
  return url;
}

/** Where a redirect leads. */
export function redirectFrom(from: URL, location: string): URL {
  const url = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isWeaker = from.protocol === 'https:' && url?.protocol === 'http:';
  const problem = isWeaker ? 'http: is not called from https:.' : url ? problemOf(url) : 'That is no URL.';
  if (!url || problem) throw new MeshError('forbidden', `A redirect of ${from.host} is not followed. ${problem}`);
  return url;
}

function problemOf({ href, protocol, username, password, hostname }: URL): string | undefined {
  if (href.length > LONGEST_URL) return `A URL has at most ${LONGEST_URL} characters.`;
  if (!Object.hasOwn(USUAL_PORTS, protocol)) return `${protocol} is not called, only http: and https:.`;
  if (username !== '' || password !== '') return 'A URL with a user or password in it is not called.';
  return hostname.endsWith('.') ? `${hostname} is not called: leave out the dot at its end.` : undefined;
}

export interface DestinationRules {
  readonly asker: Asker;
  readonly resolver: Resolver;
  /** Whether the operator's mesh is private, and so are those it calls. */
  readonly isPrivate: boolean;
}

/** Whether the plugin may call this host and port. */
export function requireGranted(url: URL, { asker }: Pick<DestinationRules, 'asker'>): void {
  if (permissionsFor(url).some((permission) => asker.may(permission))) return;
  const [needed] = permissionsFor(url);
  throw new MeshError('forbidden', `The plugin ${asker.name} may not call ${url.host} without ${needed}.`);
}

/** The addresses of a host that may be dialled, each of them checked. */
export async function addressesOf(
  url: URL,
  { asker, resolver, isPrivate }: DestinationRules,
  publicOnly = false,
): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await resolver.addresses(host).catch((error: unknown) => {
    throw new MeshError('upstream_failed', { detail: `${host} has no address: ${messageOf(error)}`, cause: error });
  });
  if ((isPrivate && !publicOnly) || permissionsFor(url).some((permission) => asker.named(permission))) return addresses;
  const found: Resolver = { addresses: async () => addresses };
  const grant = `grant ${permissionsFor(url)[0]} by name`;
  return publicAddressesOnly(found, publicOnly ? grant : `see mesh.allowPrivatePeers, or ${grant}`)
    .allowed(url.href)
    .catch((error: unknown) => {
      throw new MeshError('forbidden', { detail: messageOf(error), cause: error });
    });
}

/** Those that allow a URL: without a port a permission means the usual one. */
function permissionsFor({ hostname, protocol, port }: URL): string[] {
  return port === '' ? [`http:${hostname}`, `http:${hostname}:${USUAL_PORTS[protocol]}`] : [`http:${hostname}:${port}`];
}
