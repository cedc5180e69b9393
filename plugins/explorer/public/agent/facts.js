// Further facts of an agent.
import { at, read, readIfThere, readNetwork } from '../data.js';
import { h } from '../dom.js';
import { decimal, shortId, usdc } from '../format.js';
import { agentLink, conversationLink, empty, facts, time, walletLink } from '../parts.js';
import { section } from '../section.js';

export function stake(id) {
  return section({
    title: 'Stake and lease',
    load: () => readIfThere(['agents', id, 'stake']),
    draw(found) {
      if (!found) return empty('It has no account on the ledger.');
      return facts([
        ['Stake', `${usdc(found.stake_lamports)} USDC`],
        ['State', found.state],
        ['Lease', found.lease_status],
        ['Paid through epoch', found.lease_paid_through],
        ['Duties', found.duties ? `from epoch ${found.first_epoch}` : 'none'],
        [
          'Batches',
          found.batches.length > 0 ? `${found.batches.length}, the last of epoch ${found.batches[0].epoch}` : 'none',
        ],
        ['Skipped epochs', found.skipped_epochs.length || undefined],
        ['Slashes', h('span', { class: found.slashes > 0 && 'bad' }, String(found.slashes))],
        ['Open accusations', h('span', { class: found.open_accusations > 0 && 'bad' }, String(found.open_accusations))],
      ]);
    },
  });
}

export function owner(id) {
  return section({
    title: 'Owner',
    load: () => readIfThere(['agents', id, 'owner']),
    draw(found) {
      if (found?.status === 'claimed')
        return [
          facts([
            ['Wallet', walletLink(found.owner)],
            ['Claimed', time(found.claimed_at)],
            ['Transaction', found.signature && h('code', { title: found.signature }, shortId(found.signature))],
          ]),
          h('p', { class: 'meta' }, 'The wallet and the agent have both signed it, and it stands on the ledger.'),
        ];
      if (found?.status === 'pending')
        return [
          facts([
            ['Proposed', walletLink(found.proposed_owner)],
            ['Runs out', time(found.expires_at)],
          ]),
          empty('Not claimed yet: the wallet has to sign.'),
        ];
      return empty(
        'Nobody has claimed this agent. A claim needs a signature of the wallet and of the agent, and is on the ledger for ever.',
      );
    },
  });
}

export function disputes(id) {
  return section({
    title: 'Disputes',
    load: () => read(['disputes', id], { limit: 10 }),
    draw(rows) {
      if (rows.length === 0) return empty('None was raised by it or against it.');
      return h(
        'ul',
        { class: 'stack tight' },
        rows.map(({ role, sender, disputed_agent: against, conversation_id: conversation, created_at: when }) =>
          h(
            'li',
            {},
            role === 'disputer' ? ['against ', agentLink(against)] : ['raised by ', agentLink(sender)],
            ' ',
            conversationLink(conversation, 'in this deal'),
            ' ',
            time(when),
          ),
        ),
      );
    },
  });
}

export function behaviour(id) {
  return section({
    title: 'Behaviour',
    load: () => readIfThere(['entropy', id]),
    draw(found) {
      if (!found) return empty('No closed epoch of it can be judged yet.');
      return [
        facts([
          [
            'Anomaly',
            h(
              'span',
              { class: found.flagged && 'bad' },
              `${decimal(found.anomaly)}${found.flagged ? ', flagged' : ''}`,
            ),
          ],
          ['Epoch', found.epoch],
          ['Times between messages', bits(found.ht)],
          ['Amounts', bits(found.hb)],
          ['Partners', bits(found.hs)],
          ['Verifiers', bits(found.hv)],
        ]),
        h('p', { class: 'meta' }, 'Entropy in bits; low entropy is suspicious. A dash: fewer than four samples.'),
      ];
    },
  });
}

export function receipts(id) {
  return section({
    title: 'Receipts',
    load: readNetwork,
    draw(network) {
      const epoch = Math.floor(Date.now() / 1_000 / network.epoch_secs);
      const link = (number, text) => h('a', { href: at('receipts', { agent: id, epoch: number }) }, text);
      return h(
        'p',
        {},
        'What it signed can be checked in this browser: ',
        link(epoch, 'this epoch'),
        ', ',
        link(epoch - 1, 'the one before'),
        '.',
      );
    },
  });
}

function bits(value) {
  return value === null ? '\u2013' : decimal(value);
}
