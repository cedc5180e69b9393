import { MeshError } from '../../contracts/errors.ts';
import { RateLimiter } from '../../http/limits.ts';
import { Identity, Ledger, Network } from '../../internal-services.ts';
import { requireSettlement } from '../../ledger/require-settlement.ts';
import type { Draft } from '../../messaging/outgoing.ts';
import { optional } from '../../plugin.ts';
import { DISPUTE_SECS } from '../../protocol/deals/deal.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import { parseConversationId } from '../../protocol/identity/ids.ts';
import type { EscrowName } from '../../protocol/settlement/steps.ts';
import { PerPlugin, type Provider, provider } from '../../provider.ts';
import { Clock, EscrowAccounts, type JudgedDeal, Judging, type VerdictWord } from '../../services.ts';
import { publicPart } from '../deals/public-part.ts';
import { Judges as JudgesValue } from '../judging/judges.ts';
import { moveOlderCases } from '../judging/older-cases.ts';
import { STEPS } from '../limits.ts';
import { agentOf } from '../requests/addresses.ts';
import { wordOf } from '../requests/verdicts.ts';
import { operationOf, sentMessage } from '../sayings.ts';
import { SettlementActions } from '../services/behavior.ts';
import { Judges } from '../services/judging.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';
import { Events } from '../services/node-events.ts';

const judgesProvider = provider(Judges, {
  uses: { space: NodeSpace, clock: Clock },
  async open({ space, clock }, { log }) {
    await moveOlderCases(space, log);
    return new JudgesValue(clock);
  },
});

const escrowAccountsProvider = provider(EscrowAccounts, {
  uses: { ledger: optional(Ledger) },
  open: ({ ledger }): EscrowAccounts => ({
    missing: ledger?.settlement ? undefined : ledger ? 'ledger_program_missing' : 'ledger_unavailable',
    disputeSecs: ledger?.settlement?.numbers.disputeSecs ?? DISPUTE_SECS,
    get: async (...given) => requireSettlement(ledger).escrows(...given),
    events: async (...given) => requireSettlement(ledger).escrowEvents(...given),
  }),
});

/** Lets a plugin speak and decide as this agent in deals whose notary it is. */
const judgingProvider = provider(Judging, {
  uses: {
    judges: Judges,
    messages: Messaging,
    identity: Identity,
    network: Network,
    steps: SettlementActions,
    events: Events,
    clock: Clock,
    ledger: optional(Ledger),
  },
  open({ judges, messages, identity, network, steps, events, clock, ledger }) {
    const limiter = new RateLimiter(STEPS, clock);

    function draftOf({ requester, conversation, accepted }: JudgedDeal, word: VerdictWord, party: string): Draft {
      return {
        msgType: 'VERDICT',
        recipient: agentOf(party, '/party'),
        conversationId: parseConversationId(conversation)!,
        body: codecOf('VERDICT', network.version).encode(word, identity.key),
        publicPart: () => publicPart(requester, accepted),
      };
    }

    return new PerPlugin<Judging>(({ name }) => ({
      judgeBy(judge) {
        if (!judges.use(judge)) throw new MeshError('conflict', 'Another plugin keeps the cases of this agent.');
        return () => judges.end(judge);
      },
      word: (request) => wordOf({ conversation_id: '', ...request }),
      async verdict(deal, word, party, operationId) {
        limiter.take(name);
        const sent = await messages.send(draftOf(deal, word, party), undefined, operationOf(name, operationId));
        return sentMessage(sent);
      },
      async decide({ requester, provider: other, conversation }, forProvider, signal) {
        requireSettlement(ledger);
        if (!steps) throw new MeshError('ledger_program_missing');
        const step = { type: 'decide', forProvider, requester, provider: other, conversation } as const;
        const { signature } = await steps.run(stepName(step, forProvider), step, signal);
        return { signature };
      },
      async isDecided(deal, forProvider) {
        const sent = await steps?.find(stepName(deal, forProvider));
        return sent?.status === 'recorded' || sent?.status === 'confirmed';
      },
      remind: (conversation_id, reminder) =>
        events.emit('deal', undefined, { conversation_id, state: 'contested', reminder }),
    }));
  },
});

/** The name under which a decision is recorded. */
function stepName({ requester, provider: other, conversation }: EscrowName, forProvider: boolean): string {
  return ['decide', conversation, requester, other, forProvider ? 'provider' : 'requester'].join('/');
}

export const judgingProviders: readonly Provider[] = [judgesProvider, escrowAccountsProvider, judgingProvider];
