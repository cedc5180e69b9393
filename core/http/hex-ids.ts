import { invalidField } from '../contracts/errors.ts';
import type { Contract } from '../contracts/typed.ts';
import { toHex } from '../platform/bytes.ts';
import { parseAgentId } from '../protocol/identity/ids.ts';
import { isSharedFrame } from './frame.ts';
import type { Shape, Shapes } from './shapes.ts';
import type { Query } from './target.ts';

const MAX_DEPTH = 32;
/** The parameter of any address, and of the media type in `Accept`, by which a client asks for hex. */
export const IDS = 'ids';

/** Whether a client wants agent ids in hex digits instead of base58; takes the parameter out of the query. */
export function wantsHex(accept: string | undefined, query: Query | undefined): boolean {
  const asked = query?.[IDS];
  if (query && asked !== undefined) {
    delete query[IDS];
    if (asked !== 'hex' && asked !== 'base58') throw invalidField(`/${IDS}`, 'must be hex or base58');
    return asked === 'hex';
  }
  return accept !== undefined && /;\s*ids=hex\b/i.test(accept);
}

/** A value like this one in which every text that its contract calls an agent id is 64 hex digits. */
export function withHexIds(shapes: Shapes, contract: Contract, value: unknown): unknown {
  const shape = shapes.of(contract);
  return shape ? inHex(shape, value, 0) : value;
}

/** The same for the frames of a stream, each made for this one client. */
export async function* framesWithHexIds(
  shapes: Shapes,
  contract: Contract,
  frames: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  for await (const frame of frames) {
    for (const value of isSharedFrame(frame) ? frame.values : [frame]) {
      yield withHexIds(shapes, contract, JSON.parse(JSON.stringify(value)));
    }
  }
}

function inHex(shape: Shape, value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shape.id === 'agent-id' ? hexOf(value) : value;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const items = shape.items();
    return items ? value.map((item) => inHex(items, item, depth + 1)) : value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const inner = shape.members.has(name) ? shape.members.get(name)!.shape() : shape.others();
      return [name, inner ? inHex(inner, member, depth + 1) : member];
    }),
  );
}

function hexOf(text: string): string {
  const key = parseAgentId(text);
  return key ? toHex(key) : text;
}
