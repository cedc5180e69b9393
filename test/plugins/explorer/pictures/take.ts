// `npm run pictures -- AGGREGATOR NODE SECRET_FILE [NAME …]`: takes the pictures of docs/pictures, or those of these names, from a town
// that runs, as `npm start -- --town --data DIR` prints its addresses.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../../../core/platform/package-root.ts';
import { Browser, findChromium } from '../support/browser.ts';
import { Hands } from '../support/hands.ts';
import { PICTURES } from './pages.ts';

const QUALITY = 70;
/** Milliseconds in which the agents of a town say something. */
const FEED = 120_000;
/** Milliseconds in which a part that reads shows nothing, and names come in. */
const BLANK = 4_000;
const [aggregator, node, secretFile, ...names] = process.argv.slice(2);
const program = findChromium();
if (!aggregator || !node || !secretFile || !program) {
  process.stderr.write('npm run pictures -- AGGREGATOR NODE SECRET_FILE [NAME …], with a Chromium on the path.\n');
  process.exit(2);
}
const unknown = names.filter((name) => !PICTURES.some((one) => one.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `No picture is called ${unknown[0]}; there are ${PICTURES.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(2);
}
const read = async (path: string): Promise<any> => (await fetch(new URL(path, aggregator))).json();
const [best] = await read('leaderboard?limit=1');
const paid = (await read('ledger/events?limit=100')).find(({ event }: any) => event === 'escrow_approved');
if (!best || !paid) throw new Error('The town has not settled a deal yet; take the pictures after some minutes.');
const known: Readonly<Record<string, string>> = { agent_id: best.agent_id, conversation_id: paid.conversation_id };
const secret = (await readFile(secretFile, 'utf8')).trim();
const folder = join(packageRoot, 'docs/pictures');
await mkdir(folder, { recursive: true });

const browser = await Browser.start(program);
try {
  for (const { name, face, path, look } of PICTURES.filter((one) => names.length === 0 || names.includes(one.name))) {
    const page = await browser.page();
    const hands = new Hands(page);
    await page.look(look);
    if (face === 'node') await hands.enters(node, secret);
    const filled = path.slice(1).replace(/:(\w+)/g, (_, key) => known[key]!);
    await page.go(new URL(filled, face === 'node' ? node : aggregator).href);
    await hands.settled();
    await page.until("document.querySelector('main').innerText.length > 200");
    // A part that has read nothing yet shows nothing for a moment, and then a skeleton.
    await new Promise((resolve) => setTimeout(resolve, BLANK));
    await hands.settled();
    await page.until('!/Looking for the receipts|not checked yet/.test(document.body.innerText)', FEED);
    if (path === '/') {
      await page.until("document.querySelectorAll('.feed > li').length > 3", FEED);
      await page.until("document.querySelector('#pill').innerText === 'live'", FEED);
    }
    // A board is of use where something is on its way.
    if (path === '/deals')
      await page.until(`document.querySelector('[data-lane]:not([data-lane="Ended"]) [data-deal]')`, FEED);
    const { data } = await page.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
    await writeFile(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
    process.stdout.write(`docs/pictures/${name}.webp\n`);
    await page.close();
  }
} finally {
  await browser.stop();
}
