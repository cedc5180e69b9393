import { typed } from '../../core/plugin.ts';

/** Bytes that a SKILL.toml may have. */
export const MOST_BYTES = 131_072;

const EXAMPLE = 'csv-totals';
const NAME = {
  description: 'Lower-case letters, digits, - and _, at most 64; it is the folder of the skill.',
  type: 'string',
  pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
  examples: [EXAMPLE],
};
const URL_OF_SKILL = 'https://skills.example.com/csv-totals/SKILL.toml';
const version = { type: ['string', 'null'] };
const bytes = { description: 'The size of its SKILL.toml.', type: 'integer', minimum: 0 };

/** Whether a text may be the name of a skill. */
export function isSkillName(text: string): boolean {
  return new RegExp(NAME.pattern).test(text);
}

export interface SkillView {
  readonly name: string;
  /** As the file calls itself; null when the file cannot be read. */
  readonly title: string | null;
  readonly description: string | null;
  readonly version: string | null;
  readonly author: string | null;
  readonly tags: readonly string[];
  readonly tools: readonly string[];
  readonly url: string | null;
  readonly bytes: number;
  readonly updated_at: string;
  readonly problem: string | null;
}

const view = {
  type: 'object',
  required: [
    ...['name', 'title', 'description', 'version', 'author', 'tags', 'tools', 'url', 'bytes', 'updated_at', 'problem'],
  ],
  properties: {
    name: NAME,
    title: { description: 'The name in its SKILL.toml.', type: ['string', 'null'] },
    description: { type: ['string', 'null'] },
    version,
    author: { type: ['string', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    tools: { description: 'The names of its tools.', type: 'array', items: { type: 'string' } },
    url: { description: 'Where it was installed from, unless it was changed since.', type: ['string', 'null'] },
    bytes,
    updated_at: { type: 'string', format: 'date-time' },
    problem: { description: 'Why its SKILL.toml is of no use; null when it is.', type: ['string', 'null'] },
  },
};

export const listReply = typed<{ skills: string[]; details: SkillView[] }>({
  $id: 'skills/list',
  type: 'object',
  required: ['skills', 'details'],
  properties: {
    skills: { description: 'Their names, sorted.', type: 'array', items: { type: 'string' } },
    details: { type: 'array', items: view },
  },
  examples: [
    {
      skills: [EXAMPLE],
      details: [
        {
          ...{ name: EXAMPLE, title: EXAMPLE, description: 'Sums the columns of a CSV file.', version: '1.2.0' },
          ...{ author: 'ann', tags: ['csv'], tools: ['sum'], url: URL_OF_SKILL, bytes: 412 },
          ...{ updated_at: '2026-01-01T12:00:00.000Z', problem: null },
        },
      ],
    },
  ],
});

const base64 = { type: 'string', minLength: 1 };
export const writeRequest = typed<{ name?: string; content_b64?: string; content?: string; body_b64?: string }>({
  $id: 'skills/write',
  type: 'object',
  properties: {
    name: { ...NAME, description: `${NAME.description} Without it, the name in the file.` },
    content_b64: { description: 'The SKILL.toml, UTF-8, in base64; at most 128 KiB.', ...base64 },
    content: { description: 'Another name of content_b64.', ...base64 },
    body_b64: { description: 'Another name of content_b64.', ...base64 },
  },
  examples: [
    {
      name: EXAMPLE,
      content_b64: Buffer.from(
        `[skill]\nname = "${EXAMPLE}"\ndescription = "Sums the columns of a CSV file."\nversion = "1.2.0"\n`,
      ).toString('base64'),
    },
  ],
});

export interface Written {
  readonly ok: true;
  readonly name: string;
  readonly version: string | null;
  readonly bytes: number;
  /** Whether there was none of this name. */
  readonly created: boolean;
}

const written = {
  type: 'object',
  required: ['ok', 'name', 'version', 'bytes', 'created'],
  properties: {
    ok: { const: true },
    name: NAME,
    version,
    bytes,
    created: { description: 'Whether there was no skill of this name.', type: 'boolean' },
  },
};
const writtenExample = { ok: true, name: EXAMPLE, version: '1.2.0', bytes: 95, created: true };
export const writeReply = typed<Written>({ $id: 'skills/written', ...written, examples: [writtenExample] });

export const installRequest = typed<{ url: string; name?: string }>({
  $id: 'skills/install',
  type: 'object',
  required: ['url'],
  properties: {
    url: {
      description: 'https, of a SKILL.toml of at most 128 KiB; private hosts are refused.',
      type: 'string',
      minLength: 1,
      maxLength: 2_048,
      examples: [URL_OF_SKILL],
    },
    name: { ...NAME, description: `${NAME.description} Without it, the name in the file.` },
  },
  examples: [{ url: URL_OF_SKILL, name: EXAMPLE }],
});
export const installReply = typed<Written & { url: string }>({
  $id: 'skills/installed',
  ...written,
  required: [...written.required, 'url'],
  properties: { ...written.properties, url: { description: 'Where it came from.', type: 'string' } },
  examples: [{ ...writtenExample, url: URL_OF_SKILL }],
});

export const removeRequest = typed<{ name: string }>({
  $id: 'skills/remove',
  type: 'object',
  required: ['name'],
  properties: { name: NAME },
  examples: [{ name: EXAMPLE }],
});
export const removeReply = typed<{ ok: true; name: string }>({
  $id: 'skills/removed',
  type: 'object',
  required: ['ok', 'name'],
  properties: { ok: { const: true }, name: NAME },
  examples: [{ ok: true, name: EXAMPLE }],
});

/** Where the file with this hash was installed from. */
export interface Source {
  readonly url: string;
  readonly sha256: string;
}
export const source = {
  $id: 'skills/source',
  type: 'object',
  required: ['url', 'sha256'],
  properties: { url: { type: 'string' }, sha256: { type: 'string' } },
};
