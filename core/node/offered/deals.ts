import { RateLimiter } from '../../http/limits.ts';
import { IdempotencyStore, Identity, Ledger } from '../../internal-services.ts';
import { optional } from '../../plugin.ts';
import { PerPlugin, provider } from '../../provider.ts';
import { Clock, Contracts, Deals } from '../../services.ts';
import { EscrowRequests } from '../escrow/escrow-requests.ts';
import { STEPS } from '../limits.ts';
import { OwnAgent } from '../services/agents.ts';
import { Escrows } from '../services/escrows.ts';
import { Events } from '../services/node-events.ts';
import { dealSteps } from './deal-steps.ts';
import { Requests } from './requests.ts';
import { requirePermission } from './require-permission.ts';

/** The deals of this node for a plugin, within what it may do. */
export const offeredDealsProvider = provider(Deals, {
  uses: {
    agent: OwnAgent,
    escrows: Escrows,
    events: Events,
    identity: Identity,
    contracts: Contracts,
    idempotency: IdempotencyStore,
    clock: Clock,
    ledger: optional(Ledger),
  },
  open({ agent, ...services }, { log, signal }) {
    const escrow = new EscrowRequests({ ...services, deals: agent.deals });
    const limiter = new RateLimiter(STEPS, services.clock);
    const steps = dealSteps({ ...services, ...agent, log, signal }, limiter);

    return new PerPlugin<Deals>((asker) => {
      const requests = new Requests(asker.name, services);
      const mayRead = () => requirePermission(asker, 'deals:read');
      const mayStep = (step: string) => {
        requirePermission(asker, 'deals:act');
        limiter.take(`${asker.name} ${step}`);
      };
      return {
        ...steps(asker),
        escrow: {
          async get(conversationId) {
            mayRead();
            return escrow.view(requests.read('conversation-id', conversationId));
          },
          async deliver(request) {
            mayStep('escrow.deliver');
            return escrow.deliver(requests.read('escrow-request', request));
          },
          async refund(request) {
            mayStep('escrow.refund');
            return escrow.plain('refund', requests.read('escrow-request', request));
          },
          async reclaim(request) {
            mayStep('escrow.reclaim');
            return escrow.plain('reclaim', requests.read('escrow-request', request));
          },
          async claim(request) {
            mayStep('escrow.claim');
            return escrow.plain('claim', requests.read('escrow-request', request));
          },
          async split(request) {
            mayStep('escrow.split');
            return escrow.plain('split', requests.read('escrow-request', request));
          },
          async dispute(request) {
            mayStep('escrow.dispute');
            return escrow.dispute(requests.read('escrow-dispute-request', request));
          },
          async contest(request) {
            mayStep('escrow.contest');
            return escrow.contest(requests.read('escrow-contest-request', request));
          },
        },
      };
    });
  },
});
