import { createHash } from 'node:crypto';
import type { Schema } from '../example.ts';
import type { Placed } from './command.ts';
import { Html, html, prose } from './html.ts';
import { lineOf, operationSection } from './operation.ts';
import { shape } from './shape.ts';

/** The whole look of the page. */
const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: light-dark(#0a58ca, #7ab8ff); }
* { box-sizing: border-box; }
body { margin: 0; display: flex; font: 15px/1.5 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; flex: 0 0 19rem; padding: 1rem; font-size: 13px;
  border-right: 1px solid var(--line); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav h2 { font-size: 13px; margin: 1rem 0 .2rem; border: 0; }
main { flex: 1; min-width: 0; max-width: 62rem; padding: 1rem 2rem 6rem; }
a { color: var(--accent); text-decoration: none; }
h1 small { font-weight: normal; opacity: .6; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2.5rem 0 .3rem; font: 600 16px/1.5 ui-monospace, monospace; }
h4 { margin: 1rem 0 .3rem; }
.facts { opacity: .75; font-size: 13px; }
pre, code { font: 13px/1.45 ui-monospace, monospace; }
pre { background: var(--soft); padding: .6rem .8rem; overflow-x: auto; border-radius: 4px; max-height: 26rem; }
pre.line { user-select: all; white-space: pre-wrap; word-break: break-all; border-left: 3px solid var(--accent); }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-top: 1px solid var(--line); font-weight: normal; }
th b, .post, .put, .patch, .delete { color: light-dark(#b02a37, #ff9aa2); }
.get { color: light-dark(#146c43, #75d6a5); }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; } main { padding: 1rem; } }
`;

/** The page needs nothing from elsewhere, and no scripts. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${sha256(STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** An OpenAPI document of ours as one HTML page for people. */
export function describeInHtml(document: Schema): string {
  const { info, components, tags } = document;
  const base = (document['servers']?.[0]?.url ?? 'http://127.0.0.1:9090') as string;
  const groups = (tags as { name: string }[]).map(({ name }) => ({ name, placed: tagged(document, name) }));
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${info.title} ${info.version}</title>
  <style>${new Html(STYLE)}</style>
</head>
<body>
  <nav>
    <p><a href="#top">${info.title}</a></p>
    ${groups.map(({ name, placed }) => menu(name, placed))}
    <h2>More</h2>
    <ul><li><a href="#schemas">Schemas</a></li><li><a href="/openapi.json">openapi.json</a></li>
    <li><a href="/asyncapi.json">asyncapi.json</a></li></ul>
  </nav>
  <main id="top">
    <h1>${info.title} <small>${info.version}</small></h1>
    <p>Errors are <code>application/problem+json</code> with a stable <code>code</code>. One click selects a whole
    command line; <code>$API_SECRET</code> in it is the node's secret, which lies in <code>api-secret</code> of its
    data directory, and <code>$AGENT_TOKEN</code> what <code>mesh token</code> prints for that call.</p>
    ${guards(components.securitySchemes)}
    ${groups.map(({ name, placed }) => html`<h2 id="tag-${name}">${name}</h2>${placed.map((one) => operationSection(one, base, components.schemas))}`)}
    <h2 id="schemas">Schemas</h2>
    ${Object.entries(components.schemas as Record<string, Schema>).map(([name, schema]) => named(name, schema))}
  </main>
</body>
</html>
`.text;
}

function tagged({ paths }: Schema, tag: string): Placed[] {
  return Object.entries(paths as Record<string, Record<string, Schema>>).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation['tags'].includes(tag))
      .map(([method, operation]) => ({ method, path, operation })),
  );
}

function menu(name: string, placed: readonly Placed[]): Html {
  const items = placed.map((one) => html`<li><a href="#${one.operation['operationId']}">${lineOf(one)}</a></li>`);
  return html`<h2>${name}</h2><ul>${items}</ul>`;
}

function guards(schemes: Record<string, Schema>): Html {
  const rows = Object.entries(schemes).map(
    ([name, scheme]) =>
      html`<tr id="auth-${name}"><th><code>${name}</code></th><td>${scheme['scheme'] ?? scheme['in']}</td>
        <td>${prose(scheme['description'])}</td></tr>`,
  );
  return html`<h2>Who may call</h2><table><tbody>${rows}</tbody></table>`;
}

function named(name: string, schema: Schema): Html {
  const described = schema['type'] === 'object' || schema['properties'] ? prose(schema['description']) : undefined;
  return html`<section id="schema-${name}"><h3>${name}</h3>${described && html`<p>${described}</p>`}${shape(schema)}</section>`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
