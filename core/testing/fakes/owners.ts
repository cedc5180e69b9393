import { MeshError } from '../../contracts/errors.ts';
import type { Owner, OwnerLink, OwnerLinks, OwnerTerms, OwnTerms, SignedOwnerTerms } from '../../services.ts';

/** The signature that a fake takes as this party's over these terms. */
export function fakeSignature(party: string, { owner, nonce, expires }: OwnTerms): string {
  return Buffer.from(`${party}\n${owner}\n${nonce}\n${expires}`.padEnd(64).slice(0, 64)).toString('base64');
}

export interface FakeOwner extends Owner {
  /** The proposals, in order. */
  readonly proposed: readonly OwnTerms[];
  /** The wallet owns the agent from now on. */
  claim(owner: string, claimedAt: number): void;
}

/** `value(Owner, fakeOwner())`: a node whose proposals one aggregator takes. */
export function fakeOwner(aggregator = 'http://aggregator.example'): FakeOwner {
  const proposed: OwnTerms[] = [];
  let link: { owner: string; claimedAt: number } | undefined;
  return {
    proposed,
    claim(owner, claimedAt) {
      link = { owner, claimedAt };
    },
    link: async () => link,
    checkWallet,
    text: textOf,
    begun: async () => undefined,
    async propose(terms) {
      checkWallet(terms.owner);
      if (link) throw new MeshError('conflict', 'That agent is owned, and the link can never change.');
      proposed.push(terms);
      return [aggregator];
    },
  };
}

export interface FakeOwnerLinks extends OwnerLinks {
  /** The links that were written, in order. */
  readonly written: readonly SignedOwnerTerms[];
}

/** `value(OwnerLinks, fakeOwnerLinks())`: a ledger that takes what `fakeSignature` signed, where everybody has standing. */
export function fakeOwnerLinks(known: Readonly<Record<string, OwnerLink>> = {}): FakeOwnerLinks {
  const links = new Map(Object.entries(known));
  const written: SignedOwnerTerms[] = [];
  return {
    written,
    lamports: 2_000_000,
    agentId: (text) => text,
    require() {},
    checkWallet,
    text: textOf,
    isAgents: (terms, signature) => signature === fakeSignature(terms.agentId, terms),
    isOwners: (terms, signature) => signature === fakeSignature(terms.owner, terms),
    of: async (agentId) => links.get(agentId),
    async ownedBy(wallet, { limit, offset }) {
      const owned = [...links].filter(([, { owner }]) => owner === wallet).sort();
      return owned
        .slice(offset, offset + limit)
        .map(([agent_id]) => ({ agent_id, name: '', score: 0, version: 2, as_of: null }));
    },
    hasStanding: async () => true,
    async write(signed) {
      if (!links.has(signed.agentId)) {
        written.push(signed);
        links.set(signed.agentId, { owner: signed.owner, claimedAt: signed.expires * 1_000 });
      }
      return `signature-${written.length}`;
    },
    finalised: async (agentId) => links.get(agentId),
  };
}

function textOf(terms: OwnTerms | OwnerTerms): string {
  return `I am the owner: ${terms.owner} ${terms.nonce} ${terms.expires}`;
}

function checkWallet(owner: string, agentId?: string): void {
  const fields = [{ pointer: '/owner_wallet', message: 'is no wallet, or the agent itself' }];
  if (owner === '' || owner === agentId) throw new MeshError('invalid_request', { fields });
}
