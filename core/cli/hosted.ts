import { type CommandGroup, command, type Word } from './command.ts';
import { usdcOf } from './deal/amounts.ts';
import { MONEY_STEP } from './deal/step.ts';
import { show } from './show.ts';
import { table } from './table.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from './target.ts';

const ASKED = { options: NODE_OPTIONS, flags: NODE_FLAGS } as const;
const AGENT: Word = { name: 'AGENT', summary: 'its id; mesh hosted lists them' };

const list = command({
  summary: 'Lists the agents that the running node hosts, with their prepaid accounts.',
  ...ASKED,
  examples: ['hosted'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const node = nodeOf(call, terminal);
      const found = [];
      for (let after: string | null | undefined; after !== null; ) {
        const page = await node.hostedAgents({ limit: 200, ...(after !== undefined && { after }) });
        found.push(...page.agents);
        after = page.next;
      }
      if (found.length === 0) return { found, lines: 'The node hosts no agent.' };
      const rows = found.map(({ agent_id, name, available_usdc, held_usdc, expires_at }) => {
        return [agent_id, name, available_usdc, held_usdc, expires_at];
      });
      return { found, lines: table([['AGENT', 'NAME', 'USDC', 'HELD', 'TOKEN ENDS'], ...rows]) };
    }),
});

const register = command({
  summary: 'Has the running node host another agent, and prints its token, once.',
  words: [{ name: 'NAME', summary: 'shown to the mesh', optional: true }],
  ...ASKED,
  examples: ['hosted register', 'hosted register ann'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const [name] = call.words;
      const found = await nodeOf(call, terminal).registerHosted(name === undefined ? {} : { name });
      return { found, lines: table(Object.entries(found).map(([member, value]) => [member, String(value)])) };
    }),
});

const remove = command({
  summary: 'Ends with a hosted agent: its key is destroyed, its account is kept.',
  words: [AGENT],
  options: { 'abandon-usdc': { summary: 'also when its key holds USDC, which is lost' }, ...NODE_OPTIONS },
  flags: NODE_FLAGS,
  examples: ['hosted remove AGENT'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const [agent] = call.words;
      const abandon_usdc = call.options['abandon-usdc'];
      return {
        found: await nodeOf(call, terminal).removeHosted(agent!, { abandon_usdc }),
        lines: `${agent} is hosted no more.`,
      };
    }),
});

const token = command({
  summary: 'Gives a hosted agent another token, for a client that lost its own.',
  words: [AGENT],
  ...ASKED,
  examples: ['hosted token AGENT'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const found = await nodeOf(call, terminal).renewHostedToken(call.words[0]!);
      return { found, lines: `${found.token}\nIt holds until ${found.expires_at}; the one before holds no more.` };
    }),
});

const credit = command({
  summary: 'Puts USDC that a client has paid into the prepaid account of its agent.',
  words: [AGENT, { name: 'USDC', summary: 'how many, such as 10' }],
  options: { reference: { takes: 'TEXT', summary: 'stands on the statement' }, ...NODE_OPTIONS },
  flags: NODE_FLAGS,
  examples: ['hosted credit AGENT 10 --reference "invoice 17"'],
  run(call, _, terminal) {
    const [agent, text] = call.words;
    const amount_usdc = usdcOf('USDC', text!);
    const { reference } = call.options;
    const movement = { amount_usdc, ...(reference !== undefined && { reference }) };
    return show(call, terminal, async () => {
      const found = await nodeOf(call, terminal, MONEY_STEP).creditHosted(agent!, movement);
      return { found, lines: `The balance is ${found.balance_usdc} USDC.` };
    });
  },
});

export const hosted: CommandGroup = {
  summary: 'Lists the agents that the running node hosts, adds and removes them, and credits their accounts.',
  otherwise: list,
  commands: { register, remove, token, credit },
};
