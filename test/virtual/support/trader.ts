import { definePlugin, type Plugin } from '../../../core/plugin.ts';
import { Clock } from '../../../core/services.ts';
import { HOUR, MINUTE, type VirtualMember, type VirtualMesh } from './mesh.ts';

export interface Habits {
  /** Milliseconds from one proposal to the next, on average. */
  readonly every: number;
}

/**
 * An agent that trades for nothing: it proposes now and then, takes most of what it is offered, delivers most of it
 * some hours later, and rates what it gets. Everything it decides follows from its member's seed.
 */
export function trader(mesh: () => VirtualMesh, self: VirtualMember, { every }: Habits): Plugin {
  const { random, client } = self;

  function later(clock: Clock, most: number, act: () => Promise<unknown>): void {
    // A step that has become illegal meanwhile is refused, which is part of the life of an agent.
    clock.after(random.below(most), () => void act().catch(() => {}));
  }

  return definePlugin({
    name: 'trader',
    api: '2.0',
    permissions: ['messages:read'],
    node: {
      uses: { clock: Clock },
      envelopes: { PROPOSE: true, DELIVER: true },
      setup: ({ clock }) => ({
        envelopes: {
          PROPOSE({ conversationId: conversation_id }) {
            if (random.fraction() < 0.15) return later(clock, 10 * MINUTE, () => client.reject({ conversation_id }));
            later(clock, 10 * MINUTE, async () => {
              await client.accept({ conversation_id });
              if (random.fraction() < 0.1) return;
              later(clock, 6 * HOUR, () => client.deliver({ conversation_id, content: 'done' }));
            });
          },
          DELIVER({ conversationId: conversation_id }) {
            const score = random.below(121) - 20;
            later(clock, HOUR, () => client.feedback({ conversation_id, score }));
          },
        },
        jobs: [
          {
            name: 'propose',
            every,
            jitter: 0.8,
            async run() {
              const other = random.pick(mesh().agents.filter((one) => one !== self));
              await client.propose({ recipient: other.id, amount_usdc: '0', message: `For ${self.name}.` });
            },
          },
        ],
      }),
    },
  });
}
