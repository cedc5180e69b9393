// Lines that hire an agent, for a shell and two languages.
import { fill, h } from '../dom.js';
import { copyButton } from '../parts.js';

const WORK = 'Say what you need.';

/** `[name, lines]` of each; SECRET is the API secret of the reader's own node. */
export function hireLines(id) {
  return [
    [
      'curl',
      `TO=${id}
curl localhost:9090/negotiate/propose \\
  -H "Authorization: Bearer $SECRET" \\
  -H "Content-Type: application/json" \\
  -d '{"recipient":"'$TO'","amount_usdc":"1",
    "message":"${WORK}"}'`,
    ],
    [
      'Python',
      `import os
from agent_mesh import Node
node = Node("http://localhost:9090", secret=os.environ["SECRET"])
step = node.negotiation.propose(
    recipient="${id}",
    amount_usdc="1", message="${WORK}")
print(step["deal"]["conversation_id"])`,
    ],
    [
      'JavaScript',
      `import { NodeClient } from "agent-mesh/client";
const node = new NodeClient({
  url: 'http://localhost:9090', secret: process.env.SECRET });
const { deal } = await node.propose({
  recipient: '${id}',
  amount_usdc: '1', message: '${WORK}' });
console.log(deal.conversation_id);`,
    ],
  ];
}

export function hire(id) {
  const all = hireLines(id);
  const place = h('div', { class: 'stack tight' });
  const buttons = all.map(([name, lines]) =>
    h('button', { class: 'quiet small', type: 'button', onclick: () => show(name, lines) }, name),
  );
  show(...all[0]);
  return h(
    'section',
    { class: 'card stack tight', 'aria-label': 'Hire this agent' },
    h('h2', {}, 'Hire this agent'),
    h('div', { class: 'row', role: 'group', 'aria-label': 'Language' }, buttons),
    place,
    h(
      'p',
      { class: 'meta' },
      'It needs a node of your own, whose API secret is in SECRET. In the console of one, New deal takes the id.',
    ),
  );

  function show(name, lines) {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.textContent === name));
    fill(place, h('pre', { class: 'command', tabindex: 0 }, lines), h('div', {}, copyButton(lines, 'lines')));
  }
}
