// A score counted again in this browser, from the evidence that the aggregator publishes: what `mesh verify-score` does.
import { at, ReadError, readText } from '../data.js';
import { fill, h } from '../dom.js';
import { clean, count, decimal, fullMoment } from '../format.js';
import { icon } from '../parts.js';
import { failure } from '../section.js';

const LIMIT = 5_000;
/** Characters of evidence that a browser is asked to hold. */
const MOST = 128 * 1024 * 1024;
const SHOWN_FAULTS = 5;

/** A button, and what comes of it: `holds`, `differs` or why it could not be done. */
export function recount(id) {
  const button = h('button', { type: 'button', onclick: run }, 'Recompute it here');
  const place = h('div', { role: 'status' });
  const about = h(
    'span',
    { class: 'meta' },
    'from every signed rating and deal behind it; no word of this server is taken',
  );
  return h('div', { class: 'stack tight' }, h('p', { class: 'row' }, button, about), place);

  async function run() {
    button.disabled = true;
    const say = (words) => fill(place, h('p', { class: 'meta' }, words));
    try {
      say('Reading the evidence \u2026');
      const { text, lines } = await evidenceOf(id, (read) =>
        say(`Reading the evidence \u2026 ${count(read, 'entry', 'entries')}`),
      );
      say(`Counting ${count(lines, 'entry', 'entries')} \u2026`);
      fill(place, outcome(await counted(text)));
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      fill(place, failure(error));
    } finally {
      button.disabled = false;
    }
  }
}

/** All pages of the evidence, one after the other, as the lines they are: they are digested as they stand. */
async function evidenceOf(id, told) {
  let text = '';
  let lines = 0;
  for (let after = 0; after !== null; ) {
    const page = await readText(['reputation', id, 'evidence'], { after, limit: LIMIT });
    const { next } = headOf(page);
    if (next !== null && !(next > after)) throw new ReadError('The evidence does not go on.', { code: 'evidence' });
    after = next;
    text += page;
    lines += page.split('\n').length - 2;
    if (text.length > MOST)
      throw new ReadError('The evidence is too large for a browser: mesh verify-score counts it.', {
        code: 'evidence',
      });
    told(lines);
  }
  return { text, lines };
}

function headOf(page) {
  try {
    const head = JSON.parse(page.slice(0, page.indexOf('\n')));
    if (head.type === 'head' && (head.next === null || Number.isSafeInteger(head.next))) return head;
  } catch {
    // It is refused below, as any other answer that is no evidence.
  }
  throw new ReadError('The answer is no evidence.', { code: 'evidence' });
}

/** Runs the program in a thread of its own, so that the page stays quick. */
function counted(text) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(at('recount/recount.js'));
    const end = (act) => {
      worker.terminate();
      act();
    };
    worker.onerror = () =>
      end(() =>
        reject(
          new ReadError('This server does not serve the program that counts: mesh verify-score does.', {
            code: 'recount',
          }),
        ),
      );
    worker.onmessage = ({ data }) =>
      end(() => {
        if (data.counted) resolve(data.counted);
        else reject(new ReadError(`The evidence cannot be counted: ${data.problem}`, { code: 'evidence' }));
      });
    worker.postMessage(text);
  });
}

function outcome({ counted: ours, claimed, ratings, signed, of_the_ledger: ofLedger, as_of: asOf, faults }) {
  const from = `${count(ratings, 'rating')}, ${count(signed, 'signed message')} checked, ${count(ofLedger, 'fact')} of the ledger taken on this server's word; as of ${fullMoment(asOf)}.`;
  if (faults.length === 0)
    return h(
      'p',
      { class: 'banner ok', 'data-recount': 'holds' },
      icon('check', 'holds'),
      h('b', {}, `Recomputed here from ${count(ratings, 'rating')}: ${decimal(ours.score, 0)}.`),
      ` ${from}`,
    );
  const differs = ours.score !== claimed.score || ours.rank !== claimed.rank;
  return h(
    'div',
    { class: 'banner bad', role: 'alert', 'data-recount': 'differs' },
    h(
      'div',
      { class: 'stack tight' },
      h(
        'p',
        {},
        icon('cross', 'does not hold'),
        ' ',
        h(
          'b',
          {},
          differs
            ? `Differs: we get ${decimal(ours.score, 0)}, this server says ${decimal(claimed.score, 0)}.`
            : 'The evidence does not hold.',
        ),
        ` ${from}`,
      ),
      h(
        'ul',
        { class: 'small' },
        faults.slice(0, SHOWN_FAULTS).map((fault) => h('li', {}, clean(fault, 200))),
        faults.length > SHOWN_FAULTS && h('li', {}, `and ${faults.length - SHOWN_FAULTS} more`),
      ),
    ),
  );
}
