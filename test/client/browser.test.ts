import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Browser, findChromium, type Page } from '../plugins/explorer/support/browser.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { bundleOf } from './support/web-bundle.ts';

const program = findChromium();

/** The same lines run in the page and in a worker of it: a call, a stream, a refusal. */
const SCRIPT = `
  const { AggregatorClient, ClientError, NodeClient } = agentMesh;
  async function talk({ url, secret, hub, seller, text }) {
    const node = new NodeClient({ url, secret });
    const { agent_id } = await node.identity();
    await node.message({ recipient: seller, text });
    let answer;
    for await (const one of node.inbox({ since: 0 }))
      if (one.msg_type === 'MESSAGE' && one.payload.text === 'To ' + text) { answer = one.payload.text; break; }
    const refused = await new NodeClient({ url, secret: 'wrong-for-this-node' }).deals().catch((error) => error);
    const listed = await new AggregatorClient({ url: hub }).agents({});
    return { agent_id, answer, refused: [refused instanceof ClientError, refused.status], listed: JSON.stringify(listed) };
  }`;
const WORKER = `importScripts('/client.js');${SCRIPT}
  onmessage = ({ data }) => talk(data).then((told) => postMessage({ told }), (error) => postMessage({ error: String(error) }));`;

(program ? describe : describe.skip)(
  `agent-mesh/client in a browser${program ? '' : ' (no Chromium is installed)'}`,
  function () {
    this.timeout(120_000);
    let mesh: Mesh<'buyer' | 'seller'>;
    let site: Server;
    let browser: Browser;
    let page: Page;

    before(async () => {
      const { text } = await bundleOf('core/client/index.ts', 'iife');
      const files: Record<string, [string, string]> = {
        '/': [
          'text/html',
          '<!doctype html><title>page</title><script src="client.js"></script><script src="talk.js"></script>',
        ],
        '/client.js': ['text/javascript', text],
        '/talk.js': ['text/javascript', SCRIPT],
        '/worker.js': ['text/javascript', WORKER],
      };
      site = createServer(({ url = '' }, response) => {
        const [type, body] = files[url] ?? ['text/plain', ''];
        response.writeHead(files[url] ? 200 : 404, { 'content-type': type }).end(body);
      });
      await new Promise<void>((ready) => site.listen(0, '127.0.0.1', ready));
      const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      const settings = { api: { corsOrigins: [origin] } };
      [mesh, browser] = await Promise.all([
        startMesh({ nodes: ['buyer', 'seller'], own: { buyer: settings, aggregator: settings } }),
        Browser.start(program!),
      ]);
      page = await browser.page();
      await page.go(`${origin}/`);
      await page.until("typeof talk === 'function'");
    });
    after(async () => {
      await browser?.stop();
      site?.closeAllConnections();
      site?.close();
      await mesh?.stop();
    });

    /** Answers the text that comes from the page. */
    async function answered(text: string, told: Promise<any>): Promise<any> {
      const { seller, buyer } = mesh.nodes;
      const left = new AbortController();
      const answering = (async () => {
        for await (const one of seller.client.inbox({ since: 0, signal: left.signal })) {
          if (one.msg_type !== 'MESSAGE' || one.payload.text !== text) continue;
          await seller.client.message({ recipient: buyer.id, text: `To ${text}` });
          return;
        }
      })();
      try {
        return await told;
      } finally {
        left.abort();
        await answering;
      }
    }
    const given = (text: string) =>
      JSON.stringify({
        ...{ url: mesh.nodes.buyer.url, secret: mesh.nodes.buyer.secret, hub: mesh.aggregatorNode.url },
        ...{ seller: mesh.nodes.seller.id, text },
      });
    const check = (told: any, text: string) => {
      assert.equal(told.agent_id, mesh.nodes.buyer.id);
      assert.equal(told.answer, `To ${text}`);
      assert.deepEqual(told.refused, [true, 401]);
      assert.ok(told.listed.includes(mesh.nodes.seller.id), told.listed);
    };

    it('calls a node and an aggregator, streams and hears refusals, from a page of another origin', async () => {
      check(await answered('the page', page.run(`talk(${given('the page')})`)), 'the page');
    });

    it('does the same in a worker', async () => {
      const run = `new Promise((resolve, reject) => {
        const worker = new Worker('/worker.js');
        worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data.told));
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage(${given('the worker')});
      })`;
      check(await answered('the worker', page.run(run)), 'the worker');
    });
  },
);
