import type { Log } from '../../platform/log.ts';
import { ratingWaitsFor } from '../../protocol/deals/rating-waits.ts';
import type { Settings } from '../../services.ts';
import type { DealDocument } from './deal-document.ts';

export interface RatingNotesOptions {
  readonly settings: Settings;
  readonly self: string;
  readonly log: Log;
}

/** Tells the agent, and the log, why a rating that was sent does not count yet. */
export class RatingNotes {
  readonly #options: RatingNotesOptions;

  constructor(options: RatingNotesOptions) {
    this.#options = options;
  }

  /** What belongs into the answer about a rating of this deal. */
  of(document: DealDocument | undefined): { readonly waits_for?: string } {
    const { settings, self, log } = this.#options;
    const waits_for = document && ratingWaitsFor(document.deal, self, settings.mesh.report === 'offers');
    if (waits_for === undefined) return {};
    log.info(
      { conversation: document!.deal.conversation, waits_for },
      'a rating was sent and waits at the aggregators',
    );
    return { waits_for };
  }
}
