import { createHash } from 'node:crypto';
import type { Schema } from '../example.ts';
import type { Placed } from './command.ts';
import { Html, html, prose } from './html.ts';
import { lineOf, operationSection } from './operation.ts';
import { shape } from './shape.ts';
import { STYLE } from './style.ts';

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
