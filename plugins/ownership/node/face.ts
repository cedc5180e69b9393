import { type Context, defineFace, MeshError, route } from '../../../core/plugin.ts';
import { Clock, Owner, Random, Self } from '../../../core/services.ts';
import type { OwnershipConfig } from '../config.ts';
import { ownerView, proposalRef } from './proposal.ts';

const WEEK_SECS = 604_800;
const READS = { per: 'principal', rate: 6_000, window: 60 } as const;
const STEPS = { per: 'principal', rate: 600, window: 60 } as const;

/** The owner of this agent: proposed here, claimed by the wallet at an aggregator, written to the ledger for ever. */
export const ownerFace = defineFace({
  uses: { self: Self, service: Owner, clock: Clock, random: Random },
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
  setup({ self, service, clock, random }, { space }: Context<OwnershipConfig>) {
    async function view() {
      const link = await service.link();
      const known = { link, proposal: await space.get(proposalRef), now: clock.now() };
      return ownerView(self.id, known, (terms) => service.text(terms));
    }
    return {
      routes: {
        owner: view,
        async propose({ body: { owner_wallet: owner, valid_secs = WEEK_SECS } }) {
          service.checkWallet(owner);
          const { status } = await view();
          if (status === 'claimed') throw new MeshError('conflict', 'This agent is owned; the link can never change.');
          const nonce = Buffer.from(random.bytes(8)).toString('hex');
          const fresh = { owner, nonce, expires: Math.floor(clock.now() / 1_000) + valid_secs };
          const terms = (await service.begun(owner)) ?? fresh;
          const aggregators = await service.propose(terms);
          await space.put(proposalRef, { ...terms, aggregators });
          return view();
        },
      },
    };
  },
});
