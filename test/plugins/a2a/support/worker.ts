import type { Member } from '../../../support/mesh.ts';

/**
 * The owner's program at a node: it answers each offer by its words. `wait` is accepted and left, `ignore` is not answered, `no` is declined,
 * `dear` is countered with 0.5 USDC, `longer` with a later deadline; anything else is accepted and delivered. Gives the function that ends it.
 */
export function worksAt(member: Member): () => Promise<void> {
  let ended = false;
  const answered = new Set<string>();

  async function attend({ conversation_id, state, message = '', role, escrow, amount_usdc }: any): Promise<void> {
    const step = `${conversation_id} ${state}`;
    if (role !== 'provider' || message.startsWith('ignore') || answered.has(step)) return;
    if (state === 'proposed') {
      answered.add(step);
      if (message.startsWith('no')) await member.client.reject({ conversation_id, reason: 'I do not do that.' });
      else if (message.startsWith('dear') && Number(amount_usdc) === 0)
        await member.client.counter({ conversation_id, amount_usdc: '0.5' });
      else if (message.startsWith('longer'))
        await member.client.counter({ conversation_id, amount_usdc: '0', deadline_secs: 7_200 });
      else await member.client.accept({ conversation_id });
    }
    if (state !== 'accepted' || message.startsWith('wait') || (escrow.agreed && !escrow.locked_at)) return;
    answered.add(step);
    await member.client.deliver({ conversation_id, content: `Done: ${message}`, content_type: 'text/plain' });
  }

  async function run(): Promise<void> {
    while (!ended) {
      for (const state of ['proposed', 'accepted'] as const) {
        const { deals } = await member.client.deals({ state });
        for (const deal of deals) await attend(deal);
      }
      await new Promise((wait) => setTimeout(wait, 50));
    }
  }
  const running = run();
  return async () => {
    ended = true;
    await running;
  };
}
