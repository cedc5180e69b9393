import type { SchemaTypes } from '../../schemas/types.ts';
import { ClientError } from '../client/client-error.ts';
import { type Command, type ExitCode, type Terminal, takeOption } from './command.ts';
import { table } from './table.ts';
import { aggregatorOf, nodeOf } from './target.ts';

export const NODE_USAGE = '[--url URL] [--secret SECRET] [--json] [--config FILE]';
/** The inbox is a stream; it has been read when nothing more comes for this many milliseconds. */
const QUIET = 500;

export const identity: Command = {
  summary: 'Says who the running node is.',
  usage: NODE_USAGE,
  run: (args, _, terminal) =>
    show(args, terminal, async (rest) => {
      const found = await nodeOf(rest, terminal).identity();
      return { found, lines: table(Object.entries(found)) };
    }),
};

export const deals: Command = {
  summary: 'Lists the deals of the running node, the most recently changed first.',
  usage: `[--state STATE] ${NODE_USAGE}`,
  run: (args, _, terminal) =>
    show(args, terminal, async (given) => {
      const { value: state, rest } = takeOption(given, 'state', 'text');
      const query = state === undefined ? {} : { state: state as SchemaTypes['deal-state'] };
      const { deals: found } = await nodeOf(rest, terminal).deals(query);
      const rows = found.map((deal) => [
        deal.conversation_id,
        deal.state,
        deal.role,
        deal.amount_usdc,
        deal.counterparty,
      ]);
      return { found, lines: table([['CONVERSATION', 'STATE', 'ROLE', 'USDC', 'WITH'], ...rows]) };
    }),
};

export const inbox: Command = {
  summary: 'Shows the envelopes the running node has received and its agent has not acknowledged.',
  usage: NODE_USAGE,
  run: (args, _, terminal) =>
    show(args, terminal, async (rest) => {
      const node = nodeOf(rest, terminal);
      await node.identity();
      const found = await framesUntilQuiet(node);
      const rows = found.map((frame) => [frame.cursor, frame.msg_type, frame.conversation_id, frame.sender]);
      return { found, lines: table([['CURSOR', 'TYPE', 'CONVERSATION', 'FROM'], ...rows]) };
    }),
};

export const agents: Command = {
  summary: 'Lists the agents an aggregator knows, best first.',
  usage: '[--url URL] [--capability NAME] [--json] [--config FILE]',
  run: (args, _, terminal) =>
    show(args, terminal, async (given) => {
      const { value: capability, rest } = takeOption(given, 'capability', 'text');
      const found = await aggregatorOf(rest, terminal).agents(capability === undefined ? {} : { capability });
      const rows = found.map((agent) => [agent.agent_id, agent.name, agent.score, agent.capabilities.join(' ')]);
      return { found, lines: table([['AGENT', 'NAME', 'SCORE', 'CAPABILITIES'], ...rows]) };
    }),
};

/** Prints what was found, for people or with `--json`; what the other side refuses is a sentence and exit code 1. */
export async function show(
  args: readonly string[],
  terminal: Terminal,
  ask: (rest: readonly string[]) => Promise<{ readonly found: unknown; readonly lines: string }>,
): Promise<ExitCode> {
  const { value: json, rest } = takeOption(args, 'json', 'switch');
  try {
    const { found, lines } = await ask(rest);
    terminal.out(json ? JSON.stringify(found) : lines);
    return 0;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    terminal.error(
      error.code === 'unreachable' ? `${error.message}; is it running? Say where with --url` : error.message,
    );
    return 1;
  }
}

async function framesUntilQuiet(node: ReturnType<typeof nodeOf>): Promise<SchemaTypes['inbox-frame'][]> {
  const quiet = new AbortController();
  const found: SchemaTypes['inbox-frame'][] = [];
  const timer = setTimeout(() => quiet.abort(), QUIET);
  for await (const frame of node.inbox({ signal: quiet.signal })) {
    found.push(frame);
    timer.refresh();
  }
  clearTimeout(timer);
  return found;
}
