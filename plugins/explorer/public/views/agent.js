import { escrows, flows } from '../agent/deals.js';
import { behaviour, disputes, owner, receipts, stake } from '../agent/facts.js';
import { hire } from '../agent/hire.js';
import { ratings } from '../agent/ratings.js';
import { score } from '../agent/score.js';
import { at, learnNames, read, readIfThere } from '../data.js';
import { fill, h } from '../dom.js';
import { feed } from '../feed.js';
import { firstFrame } from '../first.js';
import { clean, cleanName, decimal, fullMoment, shortId, usdc } from '../format.js';
import { agentLink, ago, capabilityTag, conversationLink, isOnline, seal, time, wholeId } from '../parts.js';
import { failure } from '../section.js';

const ID = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** One agent: its score with all that it is made of, and what is known of it. */
export async function draw(main, { id: asked }) {
  document.title = `Agent ${shortId(asked)} \u00b7 agent-mesh`;
  let profile;
  try {
    profile = await readIfThere(['agents', asked, 'profile']);
  } catch (error) {
    fill(
      main,
      h('h1', {}, 'Agent'),
      failure(error, () => draw(main, { id: asked })),
    );
    return;
  }
  if (!profile) return unknown(main, asked);
  learnNames([profile]);
  const id = profile.agent_id;
  const name = cleanName(profile.name) || shortId(id);
  document.title = `${name} \u00b7 agent-mesh`;
  const story = h('div', { class: 'stack loose' }, score(id));
  const aside = h('div', { class: 'stack loose' });
  const columns = h('div', { class: 'cols' }, story, aside);
  fill(main, h('div', { class: 'stack loose' }, replaced(profile), top(profile, name), columns));
  await firstFrame;
  story.append(ratings(id), escrows(id), flows(id), feed({ query: { agent_id: id }, title: 'Activity' }));
  aside.append(hire(id), stake(id), owner(id), disputes(id), behaviour(id), receipts(id));
}

async function unknown(main, asked) {
  const [near, like] = await Promise.all([
    ID.test(asked) ? read('agents/search/id', { q: asked }).catch(() => []) : [],
    read('agents/search', { q: asked.slice(0, 4), limit: 5 }).catch(() => []),
  ]);
  const others = like.filter(({ agent_id: id }) => !near.some((one) => one.agent_id === id));
  learnNames([...near, ...others]);
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h('h1', {}, 'This aggregator has not heard of that agent'),
      h('p', {}, h('code', { class: 'bytes' }, clean(asked, 128))),
      near.length > 0 && [
        h(
          'p',
          { class: 'banner bad', role: 'alert' },
          'An id that has another letter in one place is known. It is another key: one of the two may have been made to look like the other. Compare both, letter by letter.',
        ),
        near.map((agent) => alike(agent, asked)),
      ],
      others.length > 0 && [
        h(
          'p',
          { class: 'banner' },
          'Agents whose id or name begins alike stand below. A key made to look like another one is a known trick: compare the whole id.',
        ),
        others.map((agent) => alike(agent)),
      ],
      h(
        'p',
        {},
        h('a', { href: at('search', { q: asked }) }, 'Search everything for it'),
        ', or look through ',
        h('a', { href: at('agents') }, 'all agents'),
        '.',
      ),
    ),
  );
}

/** An agent with its whole id; letters in which it differs from another one are marked. */
function alike({ agent_id: id, name }, other = id) {
  const letters = [...id].map((letter, place) => (letter === other[place] ? letter : h('mark', {}, letter)));
  return h('p', { class: 'row' }, agentLink(id, { name, size: 'mid' }), h('code', { class: 'bytes' }, letters));
}

/** A key that was replaced: what is said of the agent now stands under the one that replaced it. */
function replaced({ successor }) {
  if (!successor) return undefined;
  return h(
    'p',
    { class: 'banner' },
    h('span', {}, 'This key was replaced and is refused now. The agent goes on under '),
    agentLink(successor, { size: 'mid' }),
  );
}

function top(profile, name) {
  const {
    agent_id: id,
    capabilities,
    last_seen: seen,
    first_seen: first,
    hubs = [],
    url,
    country,
    city,
    host,
  } = profile;
  const online = isOnline(profile);
  const staked = usdc(profile.stake_lamports);
  return h(
    'section',
    { class: 'row who', 'aria-label': 'Who this is' },
    seal(id, 'huge'),
    h(
      'div',
      { class: 'stack tight grow' },
      h(
        'div',
        { class: 'row' },
        h('h1', {}, h('bdi', {}, name)),
        h(
          'span',
          { class: `tag ${online ? 'ok' : ''}` },
          h('span', { class: `dot ${online ? '' : 'off'}` }),
          online ? 'online' : 'not heard lately',
        ),
        profile.stake_usdc > 0 && h('span', { class: 'tag' }, `staked ${staked} USDC`),
      ),
      capabilities.length > 0 &&
        h(
          'div',
          { class: 'row' },
          capabilities.map((one) => capabilityTag(one)),
        ),
      wholeId(id, 'agent id'),
      host && h('p', { class: 'row small' }, 'A node acts for it: ', agentLink(host, { size: 'mid' })),
      profile.predecessor &&
        h('p', { class: 'row small' }, 'Before, it had the key ', agentLink(profile.predecessor, { size: 'mid' })),
      h(
        'p',
        { class: 'meta' },
        'First heard of ',
        time(first, fullMoment(first)),
        ', last ',
        ago(seen),
        hubs.length > 0 && [
          ', over hub ',
          hubs.slice(0, 3).map((hub, index) => [index > 0 && ', ', h('code', { title: hub }, shortId(hub))]),
        ],
        roundTrip(profile.last_round_trip),
        (country || city) && `, by its own word in ${clean([city, country].filter(Boolean).join(', '), 60)}`,
        url && [', reached at ', h('code', { class: 'bytes' }, clean(url, 120))],
      ),
    ),
  );
}

/** How fast it last answered somebody with work: both ends are signed. */
function roundTrip(trip) {
  if (!trip) return undefined;
  const { seconds, with: asker, probe, conversation_id: conversation, answered_at: when } = trip;
  return [
    ', last delivered ',
    h('b', {}, seconds < 0.1 ? `${decimal(seconds * 1_000, 0)} ms` : `${decimal(seconds, seconds < 10 ? 1 : 0)} s`),
    ' after it was asked, by ',
    probe ? 'a probe of this aggregator' : agentLink(asker, { sealed: false }),
    ' (',
    conversationLink(conversation, 'see'),
    ', ',
    ago(when),
    ')',
  ];
}
