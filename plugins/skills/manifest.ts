import { parse, TomlError } from 'smol-toml';
import { MeshError, typed } from '../../core/plugin.ts';
import type { Contracts } from '../../core/services.ts';

export interface Manifest {
  readonly skill: {
    readonly name: string;
    readonly description: string;
    readonly version?: string;
    readonly author?: string;
    readonly tags?: readonly string[];
  };
  readonly tools?: readonly { readonly name: string }[];
}

/** Shown on one line. */
const line = (maxLength: number) => ({
  type: 'string',
  minLength: 1,
  maxLength,
  pattern: '^[^\\u0000-\\u001f\\u007f\\u0085\\u2028\\u2029]*$',
});
const prompts = { type: 'array', maxItems: 64, items: { type: 'string' } };

const MANIFEST = typed<Manifest>({
  type: 'object',
  required: ['skill'],
  properties: {
    skill: {
      type: 'object',
      required: ['name', 'description'],
      properties: {
        name: line(128),
        description: { type: 'string', minLength: 1, maxLength: 4_096 },
        version: line(64),
        author: line(256),
        tags: { type: 'array', maxItems: 64, items: line(64) },
        prompts,
      },
    },
    prompts,
    tools: {
      type: 'array',
      maxItems: 256,
      items: {
        type: 'object',
        required: ['name', 'description', 'kind'],
        properties: {
          name: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
          description: { type: 'string', minLength: 1, maxLength: 4_096 },
          kind: line(32),
          command: { type: 'string', minLength: 1, maxLength: 16_384 },
          args: { type: 'object', maxProperties: 64, additionalProperties: { type: 'string', maxLength: 4_096 } },
        },
      },
    },
  },
});

/** Levels of arrays and tables on one line; a real file has two. */
const MOST_LEVELS = 32;
const MOST_TOLD = 10;

/** Reads a SKILL.toml. Throws `invalid_skill` with all that is wrong, at the member of the request that brought it. */
export function manifestOf(bytes: Uint8Array, contracts: Contracts, pointer: string): Manifest {
  const refuse = (problems: readonly string[]) => {
    const [first] = problems;
    const detail = `The SKILL.toml is refused: ${first}${problems.length > 1 ? `, and ${problems.length - 1} more` : ''}.`;
    const fields = problems.slice(0, MOST_TOLD).map((message) => ({ pointer, message }));
    return new MeshError('invalid_skill', { detail, fields });
  };
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = parse(text, { maxDepth: MOST_LEVELS, unsafeKeyBehaviour: 'throw' });
  } catch (error) {
    if (error instanceof TomlError) throw refuse([`line ${error.line}, column ${error.column}: ${saidBy(error)}`]);
    throw refuse([error instanceof TypeError ? 'it is no UTF-8' : 'it is no TOML that can be read']);
  }
  const found = contracts.problems(MANIFEST, value);
  if (found.length > 0)
    throw refuse(found.map(({ pointer: at, message }) => `${at.slice(1).replaceAll('/', '.')} ${message}`));
  const manifest = value as Manifest;
  const names = (manifest.tools ?? []).map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refuse([`there are two tools named ${twice}`]);
  return manifest;
}

/** Without the lines of the file that the parser shows below it. */
function saidBy({ message }: TomlError): string {
  return message.split('\n')[0]!.replace(/^Invalid TOML document: /, '');
}
