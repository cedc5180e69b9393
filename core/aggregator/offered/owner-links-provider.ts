import { invalidField } from '../../contracts/errors.ts';
import { Identity, Ledger, Network, RecordedTransactions, Store } from '../../internal-services.ts';
import { ledgerSigner } from '../../ledger/ledger.ts';
import { requireSettlement } from '../../ledger/require-settlement.ts';
import { SettlementActions } from '../../ledger/settlement-actions.ts';
import { fromBase64, fromHex } from '../../platform/bytes.ts';
import { optional } from '../../plugin.ts';
import { verifyDomain } from '../../protocol/identity/domains.ts';
import { parseAgentId } from '../../protocol/identity/ids.ts';
import { ownerClaimText } from '../../protocol/identity/owner-claim.ts';
import { isForgeable } from '../../protocol/identity/points.ts';
import { verify } from '../../protocol/identity/verify.ts';
import { provider } from '../../provider.ts';
import { type OwnerLink, OwnerLinks, type OwnerTerms } from '../../services.ts';
import { agentIdFrom } from '../agent-param.ts';
import { SPACE } from '../providers.ts';
import { scoredAs } from '../reputation/view.ts';
import { agents, hasStanding } from '../store/agents.ts';
import { stakes } from '../store/ledger.ts';
import { newOwnership, ownership, type StoredOwnership, speaksFor } from '../store/ownership.ts';
import { lastRunRef, scoreChanges } from '../store/scores.ts';
import { moveOlderProposals } from './older-proposals.ts';

/** Rent of an owner link and the fees of its transaction, in lamports. */
const LINK_LAMPORTS = 1_963_800;
const LONGEST_PAGE = 200;

/** Owner links as plugins see and write them. */
export const ownerLinksProvider = provider(OwnerLinks, {
  uses: {
    store: Store,
    network: Network,
    identity: Identity,
    ledger: optional(Ledger),
    transactions: optional(RecordedTransactions),
  },
  async open({ store, network, identity, ledger, transactions }, { log }): Promise<OwnerLinks> {
    const space = store.space(SPACE);
    await moveOlderProposals(store, log);
    const textOf = ({ agentId, owner, nonce, expires }: OwnerTerms) => {
      const key = parseAgentId(agentId)!;
      const claim = { agentId: key, key, owner: parseAgentId(owner)!, nonce: fromHex(nonce, 8)!, expires };
      return ownerClaimText(network, { purpose: 'link', ...claim });
    };
    return {
      lamports: LINK_LAMPORTS,
      agentId: (text) => agentIdFrom(text),
      require: () => void requireSettlement(ledger),
      checkWallet(owner, agentId) {
        const key = parseAgentId(owner);
        if (!key || isForgeable(key)) throw invalidField('/owner_wallet', 'is no wallet: a key of 32 bytes is needed');
        if (owner === agentId) throw invalidField('/owner_wallet', 'is the agent itself; an owner is a key of its own');
      },
      text: textOf,
      isAgents({ agentId, owner, nonce, expires }, text) {
        const [signature, key] = [fromBase64(text), parseAgentId(agentId)!];
        const fields = { agent_id: key, owner: parseAgentId(owner)!, nonce: fromHex(nonce, 8)!, expires };
        return signature?.length === 64 && verifyDomain('owner/1', network, fields, signature, key);
      },
      isOwners(terms, text) {
        const signature = fromBase64(text);
        const said = new TextEncoder().encode(textOf(terms));
        return signature?.length === 64 && verify(said, signature, parseAgentId(terms.owner)!);
      },
      of: async (agentId) => linkOf(await space.get(ownership.ref(agentId))),
      async ownedBy(wallet, { limit, offset }) {
        const part = { limit: Math.min(limit, LONGEST_PAGE), ...(offset > 0 && { offset }) };
        const found = await space.page(ownership, { index: 'owner', prefix: [wallet], ...part });
        // Links that were stored before they were told apart are in the index all the same.
        const rows = found.filter(({ value }) => speaksFor(value));
        const listed = await space.getMany(rows.map(({ value }) => agents.ref(value.agent_id)));
        const as = scoredAs(await space.get(lastRunRef));
        return rows.map(({ value: { agent_id } }, index) => {
          const agent = listed[index];
          return { agent_id, name: agent?.name ?? '', score: agent?.standing.score ?? 0, ...as };
        });
      },
      async hasStanding(agentId) {
        const [agent, stake] = await Promise.all([space.get(agents.ref(agentId)), space.get(stakes.ref(agentId))]);
        const staked = stake !== undefined && (stake.stake !== '0' || stake.paid_through > 0);
        return staked || (agent !== undefined && hasStanding(agent));
      },
      async write({ agentId, owner, expires, nonce, agentSignature, ownerSignature }, signal) {
        const settlement = requireSettlement(ledger);
        const steps = new SettlementActions({
          settlement,
          transactions: transactions!,
          signer: ledgerSigner(identity),
        });
        const step = {
          type: 'claim_owner',
          ...{ key: agentId, agentId, owner, expires },
          nonce: fromHex(nonce, 8)!,
          ownerSignature: fromBase64(ownerSignature)!,
          keySignature: fromBase64(agentSignature)!,
        } as const;
        return (await steps.run(`owner:${agentId}:${nonce}`, step, signal)).signature;
      },
      async finalised(agentId, signature) {
        const link = await requireSettlement(ledger).ownerLink(agentId);
        if (!link) return undefined;
        const ref = ownership.ref(agentId);
        const { value } = await space.tx([ref], (tx) => {
          const known = tx.get(ref) ?? newOwnership(agentId, agentId);
          if (known.link) return known;
          const { owner, claimedAt } = link;
          const made: StoredOwnership = {
            ...known,
            status: 'claimed',
            link: { owner, claimed_at: claimedAt * 1_000, signature },
          };
          tx.put(ref, made);
          tx.append(scoreChanges, { from: agentId });
          return made;
        });
        return linkOf(value);
      },
    };
  },
});

function linkOf(stored: StoredOwnership | undefined): OwnerLink | undefined {
  if (!stored?.link || !speaksFor(stored)) return undefined;
  const { owner, claimed_at: claimedAt, signature } = stored.link;
  return { owner, claimedAt, ...(signature !== undefined && { signature }) };
}
