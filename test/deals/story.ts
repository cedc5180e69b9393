import assert from 'node:assert/strict';
import { parseUsdc } from '../../core/platform/usdc.ts';
import { advance } from '../../core/protocol/deals/advance.ts';
import { type Deal, lastOffer } from '../../core/protocol/deals/deal.ts';
import type { DealEvent, OfferedTerms, ProposeEvent } from '../../core/protocol/deals/events.ts';
import { openDeal } from '../../core/protocol/deals/open.ts';
import type { Step } from '../../core/protocol/deals/step.ts';
import { onTimer } from '../../core/protocol/deals/timers.ts';
import { T0 } from './builders.ts';

/**
 * The sentences of the tables in docs/deals.md, told to one node:
 * `alice proposes 5 to bob with escrow and nora, +1h, bob accepts, locked, bob delivers`.
 * Every step takes a second; `+12h` lets time pass and runs the timers; `@1h` at the end of a step sets its signed
 * time, counted from the proposal, for messages that arrive later than they were signed.
 */
export class Story {
  deal: Deal | undefined;
  now = T0;
  last: Step | undefined;
  serial = 0;

  static told(text: string): Story {
    const story = new Story();
    for (const sentence of text.split(/,\s*/)) story.tell(sentence.trim(), true);
    return story;
  }

  tell(sentence: string, mustApply: boolean) {
    if (sentence.startsWith('+')) {
      this.now += duration(sentence.slice(1));
      this.deal = onTimer(this.deal!, this.now).deal;
      return;
    }
    this.now += 1_000;
    const event = this.eventOf(sentence);
    this.last = this.deal ? advance(this.deal, event) : openDeal(event as ProposeEvent);
    if (mustApply) assert.ok(this.last.ok, `${sentence}: ${this.last.ok ? '' : this.last.detail}`);
    if (this.last.ok) this.deal = this.last.deal;
  }

  take(event: DealEvent) {
    const step = advance(this.deal!, event);
    if (step.ok) this.deal = step.deal;
  }

  /** Envelope ids count up, as the story is told. */
  eventOf(sentence: string): DealEvent {
    const [, words, time] = /^(.*?)(?: @(\S+))?$/.exec(sentence)!;
    const at = time ? T0 + 1_000 + duration(time) : this.now;
    this.serial += 1;
    const id = `id-${String(this.serial).padStart(3, '0')}`;
    const [by, verb, what, ...rest] = words!.split(' ') as [string, string | undefined, string | undefined];
    const stamp = { id, by, at };
    switch (verb) {
      case 'proposes':
        return { ...stamp, type: 'propose', conversation: 'c', ...proposalOf(what!, rest, by) };
      case 'counters':
        return { ...stamp, type: 'counter', terms: { amount: minor(what!) } };
      case 'accepts': {
        const offer = what ? this.deal!.offers[Number(what.slice(1)) - 1]! : lastOffer(this.deal!);
        return { ...stamp, type: 'accept', offer: offer.id, amount: offer.amount };
      }
      case 'underpays':
        return { ...stamp, type: 'accept', offer: lastOffer(this.deal!).id, amount: '1' };
      case 'rejects':
        return { ...stamp, type: 'reject' };
      case 'delivers':
        return { ...stamp, type: 'deliver' };
      case 'disputes':
        return { ...stamp, type: 'dispute' };
      case 'approves':
      case 'refuses':
        return { ...stamp, type: 'verdict', outcome: verb === 'approves' ? 'approve' : 'reject' };
      case 'pays':
        return { ...stamp, type: 'paid', amount: minor(what!) };
      case 'names':
        return { ...stamp, type: 'escrow_delivered', delivery: what === 'it' ? this.deal!.delivery!.id : 'another' };
      default:
        return { ...stamp, ...ledgerFact(words!) } as DealEvent;
    }
  }
}

/** `dispute 6000` and `contest 6000` name the offer; `split 3 7 5 0` what the provider and requester got, burnt, left. */
function ledgerFact(words: string): object {
  const [type, ...figures] = words.split(' ') as [string, ...string[]];
  if (type === 'dispute') return { type: 'escrow_disputed', offer_bps: Number(figures[0] ?? 0) };
  if (type === 'contest') return { type: 'escrow_contested', offer_bps: Number(figures[0] ?? 0) };
  const [to_provider, to_requester, burnt, remaining] = [0, 1, 2, 3].map((i) => minor(figures[i] ?? '0'));
  return { type, to_provider, to_requester, burnt, remaining };
}

function proposalOf(amount: string, rest: string[], by: string): Pick<ProposeEvent, 'to' | 'as' | 'terms'> {
  const words = rest.join(' ');
  const to = /to (\w+)/.exec(words)?.[1] ?? (by === 'alice' ? 'bob' : 'alice');
  const terms: OfferedTerms = {
    amount: minor(amount),
    ...(words.includes('escrow') ? { escrow: true } : {}),
    ...(words.includes('nora') ? { notary: 'nora' } : {}),
  };
  return { to, terms, as: words.includes('as provider') ? 'provider' : 'requester' };
}

function minor(amount: string): string {
  return String(parseUsdc(amount)!);
}

function duration(text: string): number {
  const [, count, unit] = /^(\d+)(s|min|h|d)$/.exec(text)!;
  return Number(count) * { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 's' | 'min' | 'h' | 'd'];
}
