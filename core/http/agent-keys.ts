import type { AgentKeys, KeyUse } from '../contracts/agent-keys.ts';
import { invalidField, MeshError } from '../contracts/errors.ts';
import type { Contract } from '../contracts/typed.ts';
import { normaliseAgentId } from '../protocol/identity/ids.ts';
import type { Route } from './route.ts';
import type { Shape, Shapes } from './shapes.ts';

const MAX_DEPTH = 8;
/** Ids of one request that are asked about; those behind them are taken for keys. */
const MOST_IDS = 16;
/** The last row of a page that a client has; nobody acts upon it. */
const CURSOR = 'after';

/** Puts keys in the place of ids that are assets of a registry, wherever the contract of a request names an agent. */
export class KeysInRequests {
  readonly #shapes: Shapes;
  readonly #keys: AgentKeys;
  readonly #use: KeyUse;
  #left = MOST_IDS;

  constructor(shapes: Shapes, keys: AgentKeys, use: KeyUse) {
    this.#shapes = shapes;
    this.#keys = keys;
    this.#use = use;
  }

  /** The value with its ids replaced, in place where it is an object. */
  in(contract: Contract, value: unknown, at = ''): Promise<unknown> {
    const shape = this.#shapes.of(contract);
    return shape ? this.#within(shape, value, at, 0) : Promise.resolve(value);
  }

  async #within(shape: Shape, value: unknown, at: string, depth: number): Promise<unknown> {
    if (typeof value === 'string') return shape.id === 'agent-id' ? this.#keyOf(value, at) : value;
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) {
      const items = shape.items();
      if (!items) return value;
      for (const [index, item] of value.entries())
        value[index] = await this.#within(items, item, `${at}/${index}`, depth + 1);
      return value;
    }
    const object = value as Record<string, unknown>;
    for (const [name, member] of Object.entries(object)) {
      if (name === CURSOR) continue;
      const inner = shape.members.get(name)?.shape();
      if (inner) object[name] = await this.#within(inner, member, `${at}/${name}`, depth + 1);
    }
    return value;
  }

  async #keyOf(text: string, pointer: string): Promise<string> {
    const id = normaliseAgentId(text);
    // Another check refuses what is no id.
    if (id === undefined || this.#left === 0) return text;
    this.#left -= 1;
    return keyBehind(id, pointer, this.#keys, this.#use);
  }
}

/** Whether the handler of a route gets keys in the place of ids that its callers name. Reads of anybody never fail by it. */
export function asksForKeys({ spec }: Pick<Route, 'spec'>, shapes: Shapes): boolean {
  if (spec.agentIds === 'as-given' || spec.auth === 'open') return false;
  const named: unknown[] = [...Object.values(spec.params ?? {}), spec.query, spec.body];
  return named.some(
    (one) => one !== undefined && one !== 'bytes' && one !== 'stream' && namesAgents(shapes.of(one as Contract), 0),
  );
}

function namesAgents(shape: Shape | undefined, depth: number): boolean {
  if (!shape || depth > MAX_DEPTH) return false;
  if (shape.id === 'agent-id' || namesAgents(shape.items(), depth + 1)) return true;
  return [...shape.members].some(([name, member]) => name !== CURSOR && namesAgents(member.shape(), depth + 1));
}

/** The key of an agent that may be named by its asset; refused with the field where nobody can say which key that is. */
export async function keyBehind(id: string, pointer: string, keys: AgentKeys, use: KeyUse): Promise<string> {
  const answer = await keys.keyOf(id, use);
  if (answer.status === 'key') return id;
  if (answer.status === 'asset') return answer.key;
  if (answer.status === 'gone')
    throw invalidField(pointer, 'is an asset of the registry that lives no more: nobody signs for it');
  const message = `cannot be resolved, since the registry was not to be asked: ${answer.reason}`;
  const fields = [{ pointer, message }];
  throw new MeshError('ledger_unavailable', { detail: `${pointer} ${message}`, fields, retryAfter: 5 });
}
