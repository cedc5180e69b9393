import { ERRORS } from '../../core/contracts/errors.ts';
import type { ErrorTable } from '../../core/http/problem-details.ts';
import { plugins } from '../../plugins/index.ts';
import { printedDocument } from './printed-document.ts';

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: { readonly problem: Described } };
}
interface Operation {
  readonly responses?: Readonly<Record<string, Described>>;
}
interface Described {
  readonly description?: string;
}

/** More operations than these are counted, not named. */
const NAMED = 4;

const HEAD = `# Error codes

\`npm run openapi\` writes this page from the table in \`core/contracts/errors.ts\`, the codes of built-in plugins and the routes that
declare each code. A test compares it.

A refusal is a problem document (RFC 9457, \`application/problem+json\`). Branch on \`code\`, which stays; \`status\` and \`title\` are those of
this table. \`detail\` is a sentence about this one request, for people. \`fields\` names the members at fault, \`Retry-After\` the seconds to wait.

\`\`\`json
{
  "type": "urn:agent-mesh:error:invalid_request",
  "title": "The request does not fit its schema.",
  "status": 400,
  "detail": "/text is required",
  "instance": "/guestbook",
  "code": "invalid_request",
  "error": "invalid_request",
  "fields": [{ "pointer": "/text", "message": "is required" }]
}
\`\`\`

The last column names the operations that declare a code; any operation may answer with the codes marked *any*. A plugin declares codes of its own
under \`errors\`, and \`/openapi.json\` of a node that runs it names them ([plugin-guide.md](plugin-guide.md)).

| Status | Code | Title | Operations |
|---|---|---|---|
`;

/** docs/errors.md as the declarations of this build make it. */
export async function errorPage(): Promise<string> {
  const tellers = new Map<string, Set<string>>();
  const anywhere = new Set<string>();
  for (const profile of ['node', 'aggregator'] as const) {
    const { paths, components } = JSON.parse(await printedDocument(profile)) as ApiDocument;
    for (const code of codesIn(components.responses.problem)) anywhere.add(code);
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, { responses = {} }] of Object.entries(item)) {
        const { default: _, ...own } = responses;
        for (const code of Object.values(own).flatMap(codesIn)) {
          const known = tellers.get(code) ?? new Set();
          tellers.set(code, known.add(`\`${method.toUpperCase()} ${path}\``));
        }
      }
    }
  }
  const told = (code: string) => {
    const lines = [...(tellers.get(code) ?? [])].sort();
    if (anywhere.has(code)) return '*any*';
    if (code === 'method_not_allowed') return 'any other method of an address';
    if (lines.length === 0) return 'none of this build';
    return lines.length > NAMED ? `${lines.length} operations` : lines.join(', ');
  };
  const rows = Object.entries(await allErrors()).map(([code, [status, title]]) => ({ code, status, title }));
  rows.sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
  const lines = rows.map(({ code, status, title }) => `| ${status} | \`${code}\` | ${title} | ${told(code)} |\n`);
  return HEAD + lines.join('');
}

async function allErrors(): Promise<ErrorTable> {
  const loaded = await Promise.all(Object.values(plugins).map((load) => load()));
  return Object.assign({}, ERRORS, ...loaded.map(({ errors }) => errors));
}

/** Descriptions of answers name their codes as `conflict` (409). */
function codesIn({ description = '' }: Described): string[] {
  return [...description.matchAll(/`(\w+)` \(\d{3}\):/g)].map(([, code]) => code!);
}
