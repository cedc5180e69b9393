import type { Answer } from './answers.ts';

/** An instruction that ran in a landed transaction. */
export interface ExecutedInstruction {
  readonly programId: string;
  readonly accounts: readonly string[];
  /** Decoded when it is looked at: base58 is slow. */
  readonly data: Uint8Array;
  /** 1 for an instruction of the message, 2 for what it called, and so on. */
  readonly depth: number;
  /** The program that called it; undefined for an instruction of the message. */
  readonly caller: string | undefined;
}

const MESSAGE_DEPTH = 1;

/** The accounts of a landed transaction of any version, as its instructions number them. */
export function accountsOf(transaction: Answer): string[] {
  const keys = transaction.at('transaction').at('message').at('accountKeys').list();
  const loaded = transaction.at('meta').at('loadedAddresses');
  const looked = loaded.isNull ? [] : ['writable', 'readonly'].flatMap((kind) => loaded.at(kind).list());
  return [...keys, ...looked].map((key) => key.text());
}

/**
 * Every instruction that ran, in the order in which they began: those of the message, each followed by the ones it
 * called. Undefined where the ledger did not keep the calls. Neither list is ever cut short, unlike logs.
 */
export function executedInstructions(transaction: Answer): ExecutedInstruction[] | undefined {
  const inner = transaction.at('meta').at('innerInstructions');
  if (inner.isNull) return undefined;
  const accounts = accountsOf(transaction);
  const outer = transaction.at('transaction').at('message').at('instructions').list();
  const called = new Map<number, Answer[]>();
  for (const group of inner.list()) {
    const index = group.at('index').natural();
    if (index >= outer.length || called.has(index)) throw group.at('index').wrong('an instruction of the message');
    called.set(index, group.at('instructions').list());
  }
  return outer.flatMap((instruction, index) => [
    executed(instruction, accounts, MESSAGE_DEPTH, undefined),
    ...calls(instruction, called.get(index) ?? [], accounts),
  ]);
}

/**
 * The instructions that one called, directly and indirectly. Each names its depth, so the caller is the last one
 * above it.
 */
function calls(caller: Answer, called: readonly Answer[], accounts: readonly string[]): ExecutedInstruction[] {
  const running = [programOf(caller, accounts)];
  return called.map((instruction) => {
    const height = instruction.at('stackHeight');
    const depth = height.natural();
    if (depth <= MESSAGE_DEPTH || depth > running.length + 1) throw height.wrong('one below its caller');
    const from = running[depth - 2]!;
    const one = executed(instruction, accounts, depth, from);
    running.splice(depth - 1, running.length, one.programId);
    return one;
  });
}

function executed(
  instruction: Answer,
  accounts: readonly string[],
  depth: number,
  caller: string | undefined,
): ExecutedInstruction {
  const data = instruction.at('data');
  data.text();
  return {
    programId: programOf(instruction, accounts),
    accounts: instruction
      .at('accounts')
      .list()
      .map((index) => accountAt(index, accounts)),
    get data() {
      return data.base58();
    },
    depth,
    caller,
  };
}

function programOf(instruction: Answer, accounts: readonly string[]): string {
  return accountAt(instruction.at('programIdIndex'), accounts);
}

function accountAt(index: Answer, accounts: readonly string[]): string {
  const account = accounts[index.natural()];
  if (account === undefined) throw index.wrong('an account of the transaction');
  return account;
}
