import { toBase64 } from '../../../core/platform/bytes.ts';
import { type AgreedLock, agreedLock } from '../../../core/protocol/deals/agreed-lock.ts';
import { completeTerms } from '../../../core/protocol/deals/terms.ts';
import type { EscrowName } from '../../../core/protocol/settlement/steps.ts';
import { newConversation, type SignedDeal, signDeal, type TestAgent } from './agent.ts';
import type { Item } from './aggregator.ts';

const USDC = 1_000_000n;
const YEAR_SECS = 365 * 86_400;
const TERMS = { escrow: true, deadline_secs: 7_200, review_secs: 7_200 };

/** A deal that both signed, whose amount is agreed to be locked. */
export interface AgreedDeal extends SignedDeal {
  readonly payer: TestAgent;
  readonly worker: TestAgent;
  readonly name: EscrowName;
  readonly amount: bigint;
}

export function agreedDeal(
  payer: TestAgent,
  worker: TestAgent,
  { usdc, escrow = true, now }: { readonly usdc: number; readonly escrow?: boolean; readonly now: number },
): AgreedDeal {
  const amount = minorUnits(usdc);
  const deal = signDeal(payer, worker, now - 5, { amount_usdc_micro: amount, ...TERMS, escrow } as object);
  return { ...deal, payer, worker, name: nameOf(payer, worker, deal.conversation), amount };
}

/** A deal about nothing. */
export function unpaidDeal(payer: TestAgent, worker: TestAgent, now: number): AgreedDeal {
  const deal = signDeal(payer, worker, now - 5, { amount_usdc_micro: 0n, escrow: false } as object);
  return { ...deal, payer, worker, name: nameOf(payer, worker, deal.conversation), amount: 0n };
}

/** The worker has made an offer; the payer accepts it, delivers to itself and rates. */
export function endedAlone(payer: TestAgent, worker: TestAgent, value: number): Item[] {
  const conversation = newConversation();
  const [asked, countered] = [
    { amount_usdc_micro: 1n, message: 'Count the words.', max_rounds: 2 },
    { amount_usdc_micro: 2n, message: 'For two.', round: 2 },
  ];
  const propose = payer.sign('PROPOSE', { to: worker, conversation, payload: asked });
  const counter = worker.sign('COUNTER', { to: payer, conversation, payload: countered as never });
  const agreed = { amount_usdc_micro: 2n, offer_id: counter.id };
  const accept = payer.sign('ACCEPT', { to: worker, conversation, payload: agreed });
  const content = { conversation_id: conversation, content_type: 'text/plain', inline_b64: 'b2s=' } as never;
  const deliver = payer.sign('DELIVER', { to: worker, conversation, payload: content });
  const rating = payer.feedback(worker, conversation, value);
  return [propose.receipt, counter.receipt, accept.receipt, deliver.receipt, rating.whole];
}

/** The lock that was agreed, of another amount if one is given. */
export function lockOf({ name, accept, amount }: AgreedDeal, locked = amount): AgreedLock {
  const at = Math.floor(accept.envelope.timestamp / 1000);
  const terms = completeTerms({ amount: locked.toString(), ...TERMS }, undefined, 0);
  return agreedLock({ ...name, terms, accepted: { id: accept.id, at } });
}

/** The claim by which an agent names its host; it lasts a year. */
export function hostClaim(agent: TestAgent, host: TestAgent, now: number) {
  const recovery = agent.identity.key;
  const not_after = Math.floor(now / 1_000) + YEAR_SECS;
  const fields = { host_key: host.identity.key, recovery_key: recovery, not_after };
  const signature_b64 = toBase64(agent.identity.signDomain('host/1', agent.network, fields));
  return { agent_id: agent.id, recovery_key: agent.id, not_after, signature_b64 };
}

function nameOf(payer: TestAgent, worker: TestAgent, conversation: string): EscrowName {
  return { requester: payer.id, provider: worker.id, conversation };
}

export function minorUnits(usdc: number): bigint {
  return BigInt(Math.round(usdc * Number(USDC)));
}
