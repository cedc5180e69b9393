import { resolve } from 'node:path';
import type { SchemaTypes } from '../../../schemas/types.ts';
import type { NodeClient } from '../../client/node-client.ts';
import { calledAs } from '../called-as.ts';
import type { Call, ExitCode, Terminal } from '../command.ts';
import { show } from '../show.ts';
import { type NODE_OPTIONS, nodeOf } from '../target.ts';
import { nextInWords } from './next-steps.ts';

type Deal = SchemaTypes['deal-view'];

/** Milliseconds for an answer that waits until the ledger has confirmed, some 13 seconds on a public cluster. */
export const MONEY_STEP = 120_000;

interface Done {
  /** The node's answer, printed with `--json`. */
  readonly found: unknown;
  /** In a sentence, what was done. */
  readonly said: string;
  /** The deal after it. */
  readonly deal: Deal | undefined;
}

/** Takes a step of a deal over the running node; says what was done and which command comes next. */
export function takeStep(
  call: Call<typeof NODE_OPTIONS>,
  terminal: Terminal,
  take: (node: NodeClient) => Promise<Done>,
  timeout?: number,
): Promise<ExitCode> {
  return show(call, terminal, async () => {
    const { found, said, deal } = await take(nodeOf(call, terminal, timeout));
    const mesh = calledAs(terminal.env, resolve('.'));
    return { found, lines: [said, ...(deal ? [nextInWords(deal, mesh)] : [])].join('\n') };
  });
}

/** A message of the deal that was sent. */
export function sent(what: string, found: SchemaTypes['deal-step']): Done {
  const { status, deal } = found;
  return { found, said: `${what}. The message is ${status}; the deal is ${deal.state}.`, deal };
}

/** A step on the ledger that was confirmed. */
export function landed(what: string, found: SchemaTypes['escrow-step']): Done {
  const { signature, deal } = found;
  return { found, said: `${what} in transaction ${signature}.${deal ? ` The deal is ${deal.state}.` : ''}`, deal };
}
