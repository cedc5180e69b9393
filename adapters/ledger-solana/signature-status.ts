import type { Answer } from './answers.ts';
import type { JsonRpc } from './json-rpc.ts';

const LEVELS = ['processed', 'confirmed', 'finalized'] as const;

/** The status of a signature, as one RPC node tells it. */
export interface SignatureStatus {
  readonly rpc: JsonRpc;
  /** How far this node was when it said so. */
  readonly context: number;
  /** Undefined when it knows of no such transaction. */
  readonly landed: Landing | undefined;
}

export interface Landing {
  readonly slot: number;
  readonly level: (typeof LEVELS)[number];
  /** Null for a transaction that did what it should. */
  readonly error: unknown;
}

/** Anything but a well-formed answer is no answer: neither that it landed nor that it did not. */
export async function readStatus(rpc: JsonRpc, signature: string, signal?: AbortSignal): Promise<SignatureStatus> {
  const options = { searchTransactionHistory: true };
  const answer = await rpc.ask('getSignatureStatuses', [[signature], options], signal);
  const context = answer.at('context').at('slot').natural();
  const value = answer.at('value');
  const [status, ...others] = value.list();
  if (!status || others.length > 0) throw value.wrong('a list of one status');
  return { rpc, context, landed: status.raw === null ? undefined : landingOf(status) };
}

function landingOf(status: Answer): Landing {
  const said = status.at('confirmationStatus').text();
  const level = LEVELS.find((one) => one === said);
  if (!level) throw status.at('confirmationStatus').wrong('a level of confirmation');
  const error = status.at('err').raw;
  if (error === undefined) throw status.at('err').wrong('an error or null');
  return { slot: status.at('slot').natural(), level, error };
}
