import type { Deal } from './deal-watch.ts';

export type Step =
  | 'propose'
  | 'counter'
  | 'accept'
  | 'reject'
  | 'lock'
  | 'deliver'
  | 'approve'
  | 'rate'
  | 'dispute'
  | 'contest'
  | 'decide'
  | 'refund'
  | 'abandon';

/** How an agent tells what it does. */
export interface Voice {
  /** A step was taken: `text` in plain words, `deal` as it stands now. */
  say(step: Step, text: string, deal: Deal, data?: Readonly<Record<string, unknown>>): void;
  /** A step did not work; it is tried again. */
  stumble(error: unknown, deal?: Deal): void;
}
