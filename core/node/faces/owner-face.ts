import { MeshError } from '../../contracts/errors.ts';
import { HttpNetwork, Identity, Ledger, Network, Settings } from '../../internal-services.ts';
import { requireSettlement } from '../../ledger/require-settlement.ts';
import { toHex } from '../../platform/bytes.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { tokenSigner } from '../../protocol/signer/token-signer.ts';
import { Clock, Random } from '../../services.ts';
import { READS, STEPS } from '../limits.ts';
import { announce } from '../owner/announcement.ts';
import { begunProposal } from '../owner/begun.ts';
import { checkWallet, ownerView, proposalRef, signedProposal } from '../owner/proposal.ts';
import { NodeSpace } from '../services/messaging.ts';

const WEEK_SECS = 604_800;
const TIMEOUT = 10_000;

/** Who owns this agent: proposed here, claimed by the wallet at an aggregator, written to the ledger for ever. */
export const ownerFace = definePlugin({
  name: 'owner',
  api: '2.0',
  summary: 'The wallet that owns the agent.',
  node: {
    uses: {
      identity: Identity,
      network: Network,
      space: NodeSpace,
      settings: Settings,
      clock: Clock,
      random: Random,
      http: HttpNetwork,
      ledger: optional(Ledger),
    },
    routes: {
      owner: route('GET /owner', {
        auth: 'api-read',
        limit: READS,
        summary: 'Who owns this agent, by the ledger; or whom it has proposed, and what that wallet must sign.',
        reply: 'owner-view',
        errors: ['ledger_program_missing', 'ledger_unavailable'],
      }),
      propose: route('POST /owner/propose', {
        auth: 'api',
        summary: 'Proposes the wallet that owns this agent; the answer has the text it must sign, and where to claim.',
        body: 'owner-wish',
        reply: 'owner-view',
        idempotency: true,
        errors: ['conflict', 'upstream_failed', 'ledger_program_missing', 'ledger_unavailable'],
        limit: STEPS,
      }),
    },
    setup({ identity, network, space, settings, clock, random, http, ledger }) {
      const agentId = identity.address;
      const token = tokenSigner(identity, clock, random);
      const newKey = () => toHex(random.bytes(16));
      const means = { sign: (request: Parameters<typeof token>[0]) => token(request).token, clock, newKey };

      async function view() {
        const link = await requireSettlement(ledger).ownerLink(agentId);
        return ownerView(identity, network, { link, proposal: await space.get(proposalRef), now: clock.now() });
      }

      return {
        routes: {
          owner: view,
          async propose({ body: { owner_wallet: owner, valid_secs = WEEK_SECS } }) {
            checkWallet(owner, agentId);
            const { status } = await view();
            if (status === 'claimed')
              throw new MeshError('conflict', 'This agent is owned; the link can never change.');
            const now = Math.floor(clock.now() / 1_000);
            const there = {
              agentId,
              aggregators: settings.mesh.aggregators ?? [],
              means: { ...means, fetch: http.fetch, timeout: TIMEOUT },
            };
            const begun = await begunProposal(owner, there, now);
            const proposal = begun ?? { owner, nonce: toHex(random.bytes(8)), expires: now + valid_secs };
            const aggregators = await announce({ ...there, proposal: signedProposal(proposal, identity, network) });
            await space.put(proposalRef, { ...proposal, aggregators });
            return view();
          },
        },
      };
    },
  },
});
