// Who this agent is, for anybody, and the door for its operator.
import { hire } from '../agent/facts.js';
import { fill, h } from '../dom.js';
import { clean, cleanLines, cleanName, count, shortId } from '../format.js';
import { facts, seal, wholeId } from '../parts.js';
import { secretForm } from './session.js';

export async function draw(main, { introduction, entered }) {
  const agent = await introduction;
  const { agent_id: id, name, network } = agent;
  const called = cleanName(name) || shortId(id);
  document.title = `${called} \u00b7 agent-mesh`;
  fill(main, h('div', { class: 'stack loose' }, who(agent, called), parts(id, network, entered)));
}

/** An agent with all it says of itself. */
function who({ agent_id: id, capabilities, description, price_range_usd: prices }, called) {
  return h(
    'section',
    { class: 'row', 'aria-label': 'Who this is' },
    seal(id, 'huge'),
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

export function capabilityTags(capabilities) {
  if (capabilities.length === 0) return h('p', { class: 'meta' }, 'It advertises no capability.');
  return h(
    'p',
    { class: 'row' },
    capabilities.slice(0, 32).map((one) => h('span', { class: 'tag' }, h('bdi', { class: 'clip' }, clean(one, 40)))),
  );
}

function parts(id, network, entered) {
  return h(
    'div',
    { class: 'two' },
    h('div', { class: 'stack loose' }, hire(id), networkFacts(network)),
    h(
      'section',
      { class: 'card stack tight', 'aria-label': 'Are you the operator?' },
      h('h2', {}, 'Are you the operator?'),
      secretForm(entered),
    ),
  );
}

export function networkFacts({ network_id: name, genesis_hash: genesis, program, config, epoch_secs: epoch }) {
  const key = (value) => value && h('code', { title: value }, shortId(value));
  return h(
    'section',
    { 'aria-label': 'Network' },
    h('div', { class: 'hd' }, h('h2', {}, 'Network')),
    facts([
      ['Name', h('bdi', {}, clean(name, 64))],
      ['Epoch', count(epoch, 'second')],
      ['Program', key(program) ?? 'none: deals here have no escrow'],
      ['Configuration', key(config)],
      ['Genesis', key(genesis)],
    ]),
  );
}
