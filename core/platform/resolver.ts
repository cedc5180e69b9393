import { lookup } from 'node:dns/promises';

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
