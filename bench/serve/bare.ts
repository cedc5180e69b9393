/** A bare koa with a router that answers paths with given bytes; its parent sends `{ path: body }`. */
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';

process.once('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message === 'usage') process.send!({ cpu: process.cpuUsage() });
});
process.once('message', (bodies: Readonly<Record<string, string>>) => {
  const router = new Router();
  for (const [path, body] of Object.entries(bodies)) {
    router.get(path, (ctx) => {
      ctx.type = 'application/json; charset=utf-8';
      ctx.body = body;
    });
  }
  const server = new Koa().use(router.routes()).listen(0, '127.0.0.1', () => {
    process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
});
