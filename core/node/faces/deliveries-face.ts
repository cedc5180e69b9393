import { definePlugin, route } from '../../plugin.ts';
import { deliveriesConfig } from '../deliveries/config.ts';
import { deliveryOf } from '../deliveries/delivery-of.ts';
import { Expected, Kept } from '../deliveries/providers.ts';
import { DealBook } from '../services/deal-book.ts';

const SWEEP = 6 * 3_600_000;

/** Deliveries that are too large for an envelope. */
export const deliveriesFace = definePlugin({
  name: 'deliveries',
  api: '2.0',
  summary: 'Deliveries that are too large for an envelope.',
  config: deliveriesConfig,
  node: {
    uses: { deals: DealBook, kept: Kept, expected: Expected },
    routes: {
      read: route('GET /deals/:conversation_id/delivery', {
        auth: 'api-read',
        summary: 'The bytes of a delivery above 48 KiB, fetched from its provider and compared with their hash.',
        params: { conversation_id: 'conversation-id' },
        reply: 'bytes',
        media: { type: 'application/octet-stream', example: 'The delivery as it was made.' },
        errors: ['not_found', 'upstream_failed'],
        limit: { per: 'principal', rate: 60, window: 60 },
      }),
    },
    setup({ deals, kept, expected }) {
      return {
        routes: {
          read: ({ params }) => deliveryOf(params.conversation_id, { deals, expected }),
        },
        jobs: [{ name: 'delivery-retention', every: SWEEP, first: 0, run: (signal) => kept.sweep(signal) }],
        ready: () => expected.wake(),
      };
    },
  },
});
