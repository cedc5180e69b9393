import type { Deal } from './deal-watch.ts';
import type { Narrator } from './narrator.ts';
import type { Patience } from './patience.ts';
import type { Step, Voice } from './voice.ts';

export interface NarratedVoiceMeans {
  readonly narrator: Narrator;
  readonly patience: Patience;
  readonly stop: AbortSignal;
  /** Whether the lines of one deal stand together, under its id. */
  readonly byDeal: boolean;
  /** The agent as a sentence has it, such as `the worker`; its name unless given. */
  readonly subject?: string;
}

/** Tells the steps of one agent, each in a line; the same trouble is told once in a row. */
export class NarratedVoice implements Voice {
  readonly #who: string;
  readonly #means: NarratedVoiceMeans;
  #told = '';

  constructor(who: string, means: NarratedVoiceMeans) {
    this.#who = who;
    this.#means = means;
  }

  say(step: Step, text: string, deal: Deal, data: Readonly<Record<string, unknown>> = {}): void {
    this.#told = '';
    const { state, amount_usdc } = deal;
    this.#tell('step', text, { step, text, state, amount_usdc, ...data }, deal);
  }

  stumble(error: unknown, deal?: Deal): void {
    const { stop, patience, subject = this.#who } = this.#means;
    const text = error instanceof Error ? error.message : String(error);
    if (stop.aborted) return;
    patience.trouble(`${subject} could not go on: ${text}`);
    if (this.#told === text) return;
    this.#told = text;
    this.#tell('trouble', `stumbles: ${text}`, { text }, deal);
  }

  #tell(event: string, sentence: string, data: Readonly<Record<string, unknown>>, deal: Deal | undefined): void {
    const { narrator, byDeal } = this.#means;
    const id = deal?.conversation_id;
    const facts = { who: this.#who, ...data };
    if (id !== undefined && byDeal) narrator.ofDeal(id, event, this.#who, sentence, facts);
    else narrator.line(event, this.#who, sentence, { ...(id !== undefined && { conversation_id: id }), ...facts });
  }
}
