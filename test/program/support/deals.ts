import {
  contest,
  deliver,
  dispute,
  type EscrowTerms,
  lockEscrow,
} from '../../../adapters/ledger-solana/program/index.ts';
import type { World } from './world.ts';

export const AMOUNT = 25_000_001n;
export const BOND = 12_500_000n;
export const ID = Buffer.alloc(32, 5);

let deals = 0;

/** Parties of escrows, and escrows in every state. */
export function dealsOf(world: World) {
  const { svm, deployment } = world;
  const [requester, provider, notary, stranger] = [world.wallet(), world.wallet(), world.wallet(), world.wallet()];

  function deal(change: Partial<EscrowTerms> = {}): EscrowTerms {
    const conversation = Buffer.alloc(16);
    conversation.writeUInt32LE(++deals);
    const parties = { requester: requester.address, provider: provider.address, notary: notary.address };
    const times = { deadline: svm.now() + 1000n, reviewSecs: 200n };
    return { ...parties, conversation, amount: AMOUNT, bond: BOND, ...times, terms: ID, disputeBps: 0, ...change };
  }

  function locked(change: Partial<EscrowTerms> = {}): EscrowTerms {
    const terms = deal(change);
    world.do([lockEscrow(deployment, terms)], [requester]);
    return terms;
  }

  function delivered(change: Partial<EscrowTerms> = {}): EscrowTerms {
    const terms = locked(change);
    world.do([deliver(deployment, terms, ID)], [provider]);
    return terms;
  }

  function disputed(change: Partial<EscrowTerms> = {}): EscrowTerms {
    const terms = delivered(change);
    world.do([dispute(deployment, terms, 6_000)], [requester]);
    return terms;
  }

  function contested(change: Partial<EscrowTerms> = {}): EscrowTerms {
    const terms = disputed(change);
    world.do([contest(deployment, terms, 9_999)], [provider]);
    return terms;
  }

  return { requester, provider, notary, stranger, deal, locked, delivered, disputed, contested };
}
