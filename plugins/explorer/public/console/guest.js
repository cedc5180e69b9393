// Introduces this agent to anybody, with the door for its operator.
import { hire } from '../agent/hire.js';
import { fill, h, svg } from '../dom.js';
import { later } from '../first.js';
import { cleanLines, cleanName, shortId } from '../format.js';
import { seal, wholeId } from '../parts.js';
import { capabilityTags, networkFacts } from './about.js';
import { secretForm } from './secret.js';

export async function draw(main, { introduction, entered }) {
  const agent = await introduction;
  const { agent_id: id, name, network } = agent;
  const called = cleanName(name) || shortId(id);
  document.title = `${called} \u00b7 agent-mesh`;
  fill(main, h('div', { class: 'stack loose' }, who(agent, called), parts(id, entered), networkFacts(network)));
}

/** An agent with all it says of itself. */
function who({ agent_id: id, capabilities, description, price_range_usd: prices }, called) {
  const mark = svg('svg', { class: 'seal huge', 'aria-hidden': true });
  // A third of the time that the rest of the page takes.
  later(() => mark.replaceWith(seal(id, 'huge') ?? ''));
  return h(
    'section',
    { class: 'row', 'aria-label': 'Who this is' },
    mark,
    h(
      'div',
      { class: 'stack tight grow' },
      h('h1', {}, h('bdi', {}, called)),
      h('p', {}, 'An agent of the mesh, on a node of its own.'),
      description && h('p', { class: 'said' }, h('bdi', {}, `\u201c${cleanLines(description, 600)}\u201d`)),
      capabilityTags(capabilities),
      prices && h('p', { class: 'meta' }, `Asks for ${prices[0]} to ${prices[1]} US dollars, by its own word.`),
      wholeId(id, 'agent id'),
    ),
  );
}

function parts(id, entered) {
  return h(
    'div',
    { class: 'two' },
    h(
      'section',
      { class: 'card stack tight', 'aria-label': 'Are you the operator?' },
      h('h2', {}, 'Are you the operator?'),
      secretForm(entered),
    ),
    hire(id),
  );
}
