import type { ProbeListProbesAnswer } from '../client/generated/node.ts';
import { type CommandGroup, command } from './command.ts';
import { MONEY_STEP } from './deal/step.ts';
import { show } from './show.ts';
import { table } from './table.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from './target.ts';

const ASKED = { options: NODE_OPTIONS, flags: NODE_FLAGS } as const;
const HEAD = ['DEAL', 'AGENT', 'USDC', 'STATE', 'DEAL IS', 'ANSWER', 'RATED', 'HIRED'];
const SHOWN = 20;

const shown = command({
  summary: 'Shows the budget of the probe buyer of the running node, and the agents that it hired.',
  ...ASKED,
  examples: ['probe'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const { probe } = nodeOf(call, terminal).api;
      const [budget, { probes }] = await Promise.all([probe.probeStatus(), probe.listProbes({ limit: SHOWN })]);
      const { on, spent_usdc, max_per_day_usdc, left_usdc, next_at, problem } = budget;
      const said = on
        ? `${spent_usdc} of ${max_per_day_usdc} USDC put aside in 24 hours, ${left_usdc} left; the next agent is hired at ${next_at ?? 'any moment'}.`
        : 'Nobody is hired: plugins.probe.maxPerDay is 0.';
      const lines = [said, ...(problem === null ? [] : [`It waits: ${problem}`])];
      if (probes.length > 0) lines.push('', table([HEAD, ...probes.map(rowOf)]));
      return { found: { ...budget, probes }, lines: lines.join('\n') };
    }),
});

const hire = command({
  summary: 'Hires one agent for a small job now, within the budgets.',
  ...ASKED,
  examples: ['probe hire'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const found = await nodeOf(call, terminal, MONEY_STEP).api.probe.buyProbe();
      return { found, lines: table([HEAD, rowOf(found)]) };
    }),
});

export const probe: CommandGroup = {
  summary: 'Shows the probe buyer of the running node, or has it hire an agent now.',
  otherwise: shown,
  commands: { hire },
};

function rowOf(one: ProbeListProbesAnswer['probes'][number]) {
  const { conversation_id, agent_id, amount_usdc, state, deal_state, fits, score, created_at } = one;
  const answer = fits === null ? null : fits ? 'found' : 'missing';
  return [conversation_id, agent_id, amount_usdc, state, deal_state, answer, score, created_at];
}
