import type { Schema } from '../example.ts';
import { commandFor, type Placed } from './command.ts';
import { type Html, html, prose } from './html.ts';
import { shape, typeOf } from './shape.ts';

/** One operation: what it is for, who may call, what it takes and answers, and a line to try it. */
export function operationSection(placed: Placed, base: string, schemas: Record<string, Schema>): Html {
  const { operation } = placed;
  const limit = operation['x-rate-limit'];
  return html`<section id="${operation['operationId']}">
    <h3>${lineOf(placed)}</h3>
    <p>${prose(operation['summary'])}</p>
    <p class="facts">${access(operation)}${limit && html` · at most ${limit.rate} calls in ${limit.window} s`}
      ${operation['x-feature'] && html` · feature <code>${operation['x-feature']}</code>`}</p>
    ${operation['x-socket'] ? html`<p>A WebSocket of binary messages.</p>` : html`<pre class="line">${commandFor(placed, base)}</pre>`}
    ${parameters(operation)}
    ${content('Body', unfolded(operation['requestBody']?.content, schemas))}
    ${operation['x-frame'] && part('Frames', operation['x-frame'], operation['x-frame-example'])}
    ${operation['x-event'] && part('Events', operation['x-event'], operation['x-event-example'])}
    ${operation['x-receive'] && part('You may send', operation['x-receive'], undefined)}
    ${answers(operation)}
  </section>`;
}

/** The line by which people know it; a WebSocket is no GET to them. */
export function lineOf({ method, path, operation }: Placed): Html {
  const socket = operation['x-frame'] || operation['x-socket'];
  return html`<b class="${method}">${socket ? 'WS' : method.toUpperCase()}</b> ${path}`;
}

function access({ security }: Schema): Html {
  const names = ((security ?? []) as Schema[]).flatMap((one) => Object.keys(one));
  return names.length === 0
    ? html`open to everyone`
    : html`needs <a href="#auth-${names[0]}">${names.join(' or ')}</a>`;
}

function parameters(operation: Schema): Html | false {
  const all = operation['parameters'] as Schema[];
  if (all.length === 0) return false;
  const rows = all.map(
    ({ name, in: where, required, schema, description }) =>
      html`<tr><th><code>${name}</code>${required && html` <b title="required">*</b>`}</th><td>${where}</td>
        <td>${typeOf(schema)}</td><td>${prose(description)}</td></tr>`,
  );
  return html`<h4>Parameters</h4><table><tbody>${rows}</tbody></table>`;
}

function answers(operation: Schema): Html {
  const entries = Object.entries(operation['responses'] as Record<string, Schema>);
  const good = entries.filter(([status]) => Number(status) < 400);
  const problems = entries.filter(([status]) => Number(status) >= 400);
  const rows = problems.map(
    ([status, { description }]) => html`<tr><th>${status}</th><td>${prose(description)}</td></tr>`,
  );
  return html`${good.map(([status, response]) => content(`Answer ${status}`, response['content']))}
    <details><summary>Problems</summary><table><tbody>${rows}</tbody></table></details>`;
}

function content(title: string, given: Record<string, Schema> | undefined): Html | false {
  const [type, media] = Object.entries(given ?? {})[0] ?? [];
  if (!type || !media) return false;
  return type === 'application/json'
    ? part(title, media['schema'], media['example'])
    : html`<h4>${title}</h4><p><code>${type}</code></p>`;
}

function part(title: string, schema: Schema, example: unknown): Html {
  const shown = example !== undefined && html`<pre>${JSON.stringify(example, null, 2)}</pre>`;
  return html`<h4>${title}</h4>${shape(schema)}${shown}`;
}

/** The content with its members in place of the name of its schema: who writes a body wants to see them. */
function unfolded(
  given: Record<string, Schema> | undefined,
  schemas: Record<string, Schema>,
): Record<string, Schema> | undefined {
  const [type, media] = Object.entries(given ?? {})[0] ?? [];
  const named = schemas[String(media?.['schema']?.$ref).split('/').at(-1)!];
  return type && media && named ? { [type]: { ...media, schema: named } } : given;
}
