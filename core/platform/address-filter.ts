import { lookup } from 'node:dns/promises';
import { isPublicAddress } from './addresses.ts';

/** Finds the addresses of a host name. An interface, so that tests can have names lie. */
export interface Resolver {
  /** All addresses, as the system would try them; rejects when there are none. Literal addresses resolve to themselves. */
  addresses(host: string): Promise<readonly string[]>;
}

export const systemResolver: Resolver = {
  async addresses(host) {
    return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
  },
};

/**
 * Bounds where a URL that a stranger named may lead. A node that dials any address it is told is a tool against its
 * own network: against the router's page, the database without a password, the metadata service of the cloud.
 */
export interface AddressFilter {
  /**
   * The addresses to dial for a URL, and no others: looking its host up again could give different ones. Rejects with a
   * sentence when the URL may not be dialled.
   */
  allowed(url: string): Promise<readonly string[]>;
}

/** Lets through what leads to the public internet. A host with even one other address is refused. */
export function publicAddressesOnly(resolver: Resolver, remedy = 'see mesh.allowPrivatePeers'): AddressFilter {
  return {
    async allowed(url) {
      const { hostname, username, password } = new URL(url);
      if (username !== '' || password !== '') throw new Error('A URL with a password in it is not dialled.');
      const addresses = await resolver.addresses(hostname.replace(/^\[|\]$/g, ''));
      if (addresses.length === 0) throw new Error(`${hostname} has no address.`);
      if (addresses.every(isPublicAddress)) return addresses;
      throw new Error(`${hostname} leads into a private network and is not dialled; ${remedy}.`);
    },
  };
}
