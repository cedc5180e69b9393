// An agent in its own words, and its network.
import { h } from '../dom.js';
import { clean, count, shortId } from '../format.js';
import { facts } from '../parts.js';

export function capabilityTags(capabilities) {
  if (capabilities.length === 0) return h('p', { class: 'meta' }, 'It advertises no capability.');
  return h(
    'p',
    { class: 'row' },
    capabilities.slice(0, 32).map((one) => h('span', { class: 'tag' }, h('bdi', { class: 'clip' }, clean(one, 40)))),
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
