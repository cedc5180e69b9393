import { invalidField } from '../../contracts/errors.ts';
import { HttpNetwork, Identity, Ledger, Network } from '../../internal-services.ts';
import { requireSettlement } from '../../ledger/require-settlement.ts';
import { fromHex, toBase64, toHex } from '../../platform/bytes.ts';
import { optional } from '../../plugin.ts';
import { parseAgentId } from '../../protocol/identity/ids.ts';
import { ownerClaimText } from '../../protocol/identity/owner-claim.ts';
import { isForgeable } from '../../protocol/identity/points.ts';
import { tokenSigner } from '../../protocol/signer/token-signer.ts';
import { provider } from '../../provider.ts';
import { Clock, Owner, type OwnTerms, Random } from '../../services.ts';
import { announce } from '../owner/announcement.ts';
import { begunProposal } from '../owner/begun.ts';
import { moveOlderProposal } from '../owner/older-proposal.ts';
import { NodeSpace } from '../services/messaging.ts';

const TIMEOUT = 10_000;

/** The owner of this agent as plugins read and propose it. */
export const ownerProvider = provider(Owner, {
  uses: {
    space: NodeSpace,
    identity: Identity,
    network: Network,
    clock: Clock,
    random: Random,
    http: HttpNetwork,
    ledger: optional(Ledger),
  },
  async open({ space, identity, network, clock, random, http, ledger }, { settings }): Promise<Owner> {
    await moveOlderProposal(space);
    const agentId = identity.address;
    const token = tokenSigner(identity, clock, random);
    const sign = (request: Parameters<typeof token>[0]) => token(request).token;
    const means = { sign, clock, newKey: () => toHex(random.bytes(16)), fetch: http.fetch, timeout: TIMEOUT };
    const there = { agentId, aggregators: settings.mesh.aggregators ?? [], means };

    /** The body of `POST /agents/:agent_id/propose-owner`, signed by the agent. */
    function signed({ owner, nonce, expires }: OwnTerms) {
      const fields = { agent_id: identity.key, owner: parseAgentId(owner)!, nonce: fromHex(nonce, 8)!, expires };
      const signature = toBase64(identity.signDomain('owner/1', network, fields));
      return { owner_wallet: owner, nonce, expires, signature };
    }

    function checkWallet(owner: string): void {
      const key = parseAgentId(owner);
      if (!key || isForgeable(key)) throw invalidField('/owner_wallet', 'is no wallet: a key of 32 bytes is needed');
      if (owner === agentId) throw invalidField('/owner_wallet', 'is the agent itself; an owner is a key of its own');
    }

    return {
      checkWallet,
      async link() {
        const link = await requireSettlement(ledger).ownerLink(agentId);
        return link && { owner: link.owner, claimedAt: link.claimedAt * 1_000 };
      },
      text({ owner, nonce, expires }) {
        const parties = { agentId: identity.key, key: identity.key, owner: parseAgentId(owner)! };
        return ownerClaimText(network, { purpose: 'link', ...parties, nonce: fromHex(nonce, 8)!, expires });
      },
      begun: (owner) => begunProposal(owner, there, Math.floor(clock.now() / 1_000)),
      async propose(terms) {
        checkWallet(terms.owner);
        return announce({ ...there, proposal: signed(terms) });
      },
    };
  },
});
