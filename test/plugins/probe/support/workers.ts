import { definePlugin, type Plugin } from '../../../../core/plugin.ts';
import { Deals } from '../../../../core/services.ts';

/** An agent that accepts every offer, and delivers when the amount is locked: an answer made of the last word of the message. */
export function hireable(name: string, answer: (word: string, message: string) => string): Plugin {
  return definePlugin({
    name: `hireable-${name}`,
    api: '2.0',
    permissions: ['deals:read', 'deals:act'],
    node: {
      uses: { deals: Deals },
      setup: ({ deals }) => ({
        ready() {
          deals.follow(async ({ conversation_id, state, message = '', escrow, allowed_actions }) => {
            if (state === 'proposed' && allowed_actions.includes('accept')) await deals.accept({ conversation_id });
            if (state !== 'accepted' || escrow.locked_at === undefined) return;
            const word = /\b[0-9a-f]{8}\b/.exec(message)?.[0] ?? '';
            if (allowed_actions.includes('deliver'))
              await deals.deliver({ conversation_id, content: answer(word, message) });
          });
        },
      }),
    },
  });
}
