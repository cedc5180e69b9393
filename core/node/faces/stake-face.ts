import { Identity, Ledger } from '../../internal-services.ts';
import { requireSettlement } from '../../ledger/require-settlement.ts';
import { toHex } from '../../platform/bytes.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import type { AgentStep } from '../../protocol/settlement/steps.ts';
import { Random } from '../../services.ts';
import { READS, STEPS } from '../limits.ts';
import { amountOf } from '../requests/amounts.ts';
import { Counter, DutyWarnings, Own, SettlementActions } from '../services/behavior.ts';
import { NodeSpace } from '../services/messaging.ts';
import { stakeConfig } from '../stake/stake-gate.ts';
import { StakePayments } from '../stake/stake-payments.ts';
import { stakeView } from '../stake/stake-views.ts';

const step = {
  auth: 'api',
  reply: 'stake-done',
  money: true,
  idempotency: true,
  errors: [
    'ledger_program_missing',
    'ledger_unavailable',
    'insufficient_funds',
    'spending_cap',
    'conflict',
    'invalid_transition',
    'deadline_not_reached',
    'upstream_failed',
  ],
  limit: STEPS,
} as const;

/** Staking USDC on this node's honesty, and taking it back. The stake owner is the node's own wallet. */
export const stakeFace = definePlugin({
  name: 'stake',
  api: '2.0',
  summary: 'The stake that vouches for the agent on the ledger.',
  config: stakeConfig,
  node: {
    uses: {
      identity: Identity,
      steps: SettlementActions,
      counter: Counter,
      own: Own,
      space: NodeSpace,
      warnings: DutyWarnings,
      random: Random,
      ledger: optional(Ledger),
    },
    routes: {
      stake: route('GET /stake', {
        auth: 'api-read',
        limit: READS,
        summary: 'What this agent has at stake, what it owes for it, and when it can take it back.',
        reply: 'stake-view',
        errors: ['ledger_program_missing', 'ledger_unavailable'],
      }),
      add: route('POST /stake/add', {
        ...step,
        summary:
          'Puts USDC at stake. With the first stake the duty begins to submit a batch each epoch. Repeated with the same Idempotency-Key it pays once; repeated without one after an uncertain answer, it finishes what was begun or says what the account shows.',
        body: 'stake-request',
      }),
      unlock: route('POST /stake/unlock', {
        ...step,
        summary: 'Asks to leave: duties end with the batch of the present epoch, which only this key can submit.',
      }),
      resume: route('POST /stake/resume', {
        ...step,
        summary: 'Takes the duties on again, while leaving or after a slash.',
      }),
      withdraw: route('POST /stake/withdraw', { ...step, summary: 'Takes the stake back, once it can be.' }),
    },
    setup({ identity, steps, counter, own, space, warnings, random, ledger }, { signal }) {
      const key = identity.address;
      const payments = steps && counter && new StakePayments({ space, steps, counter, key });

      async function take(agentStep: AgentStep, operationId: string | undefined): Promise<{ signature: string }> {
        requireSettlement(ledger);
        const name = `${agentStep.type}:${operationId ?? toHex(random.bytes(16))}`;
        const { signature, slot } = await steps!.run(name, agentStep, signal);
        own?.changed(slot);
        return { signature };
      }

      return {
        routes: {
          async stake() {
            const settlement = requireSettlement(ledger);
            const [agent, time] = await Promise.all([settlement.agent(key), settlement.time()]);
            return stakeView(key, agent, { numbers: settlement.numbers, time, warnings: warnings.all });
          },
          add({ body, operationId }) {
            const amount = amountOf(body);
            requireSettlement(ledger);
            return payments!.add(amount, operationId, signal);
          },
          unlock: ({ operationId }) => take({ type: 'request_unlock', key }, operationId),
          resume: ({ operationId }) => take({ type: 'resume', key, stakeOwner: key }, operationId),
          withdraw: ({ operationId }) => take({ type: 'withdraw', key, stakeOwner: key }, operationId),
        },
      };
    },
  },
});
