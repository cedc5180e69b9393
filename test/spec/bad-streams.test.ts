import assert from 'node:assert/strict';
import { watch } from '../support/sockets.ts';
import { apiDocument, DocumentSchemas, operationsOf } from './api-document.ts';
import { HttpCaller } from './http-caller.ts';
import { Judge } from './judge.ts';
import { OF_HOSTED, startProcess, type TestProcess } from './processes.ts';

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const WRONG_NUMBERS = ['', ' ', 'x', '-1', '1.5', '1e3', '0x10', 'NaN', '\u0000', '9'.repeat(40)];
const WRONG_TEXTS = ['', '!', '\u0000', 'x'.repeat(2_000)];

for (const profile of ['node', 'aggregator'] as const) {
  const document = apiDocument(profile);
  const schemas = new DocumentSchemas(document);
  const judge = new Judge(schemas);
  const sockets = operationsOf(document).filter(({ line }) => line.startsWith('WS '));

  describe(`hostile requests to the WebSockets of the ${profile} profile`, () => {
    let running: TestProcess;
    let http: HttpCaller;
    before(async () => {
      running = await startProcess(profile);
      http = new HttpCaller(running.node.url);
    });
    after(async () => {
      http.close();
      await running.stop();
    });
    afterEach(() => assert.deepEqual(running.errors, [], 'nothing failed inside'));

    for (const { line, path, spec } of sockets) {
      describe(line, () => {
        const token = () => tokenFor(running, spec);
        const bearer = () => ({ authorization: `Bearer ${token()}` });
        const upgrade = (target: string, headers: Record<string, string> = {}) =>
          http.call({ method: 'GET', target, headers: { ...UPGRADE, ...bearer(), ...headers } });

        it('answers a plain GET with 426', async () => {
          const answer = await http.call({ method: 'GET', target: path, headers: bearer() });
          judge.problem(answer, 426);
          assert.equal(answer.headers['upgrade'], 'websocket');
        });

        it('opens for whoever may call', async () => {
          const { socket, closed } = watch(running.node.url + path, [], { headers: bearer() });
          await new Promise((resolve) => socket.once('open', resolve));
          socket.close();
          await closed;
        });

        if (spec.security?.length > 0) {
          it('refuses a missing or wrong secret before the upgrade', async () => {
            for (const authorization of ['', 'Bearer', 'Bearer wrong', 'Basic YTpi']) {
              judge.problem(
                await http.call({ method: 'GET', target: path, headers: { ...UPGRADE, authorization } }),
                401,
              );
            }
            const wrong = { authorization: '', 'sec-websocket-protocol': 'mesh.bearer, wrong' };
            judge.problem(await upgrade(path, wrong), 401);
            for (const wrong of ['wrong', '%20', 'a&token=b', `${token()}x`]) {
              const headers = { ...UPGRADE, authorization: '' };
              judge.problem(await http.call({ method: 'GET', target: `${path}?token=${wrong}`, headers }), 401);
            }
          });

          it('opens for the secret in the address, for clients that can set no header', async () => {
            const { socket, closed } = watch(`${running.node.url}${path}?token=${token()}`);
            await new Promise((resolve) => socket.once('open', resolve));
            socket.close();
            await closed;
          });
        }

        it('refuses a wrong query before the upgrade and names the parameter', async () => {
          for (const { name, schema } of spec.parameters.filter((one: any) => one.in === 'query')) {
            if (name === 'token') continue;
            const number = schemas.resolved(schema).type === 'integer';
            for (const value of number ? WRONG_NUMBERS : WRONG_TEXTS) {
              // Any word may be a topic.
              if (name === 'topic' && value === '!') continue;
              judge.refusedField(await upgrade(`${path}?${new URLSearchParams([[name, value]])}`), `/${name}`);
            }
          }
        });

        it('refuses malformed percent escapes before the upgrade', async () => {
          for (const end of ['%', '%ff', '?since=%', '?since=%zz']) judge.problem(await upgrade(path + end), 400);
        });

        it('refuses pages of other sites before the upgrade, unless anybody may read it', async () => {
          const open = profile === 'aggregator' && spec['x-frame'] && !(spec.security?.length > 0);
          if (!open) judge.problem(await upgrade(path, { origin: 'https://evil.example' }), 403);
          judge.problem(await upgrade(path, { host: 'evil.example' }), 421);
        });
      });
    }

    it('answers 404 to an upgrade where there is nothing, and where there is only a route', async () => {
      for (const target of ['/ws/nothing', '/ws', '/health']) {
        judge.problem(await http.call({ method: 'GET', target, headers: UPGRADE }), 404);
      }
    });

    it('closes a stream that takes no messages when one comes, and stays well', async () => {
      for (const { path, spec } of sockets.filter(({ spec }) => spec['x-frame'] && !spec['x-receive'])) {
        const { socket, closed } = watch(running.node.url + path, [], {
          headers: { authorization: `Bearer ${tokenFor(running, spec)}` },
        });
        await new Promise((resolve) => socket.once('open', resolve));
        socket.send('{"a":1}');
        assert.equal((await closed).code, 1008);
      }
      assert.equal((await http.call({ method: 'GET', target: '/health' })).status, 200);
    });
  });
}

/** What its guard asks for. */
function tokenFor({ node, hostedToken }: TestProcess, spec: any): string {
  const guards = (spec.security ?? []).flatMap((scheme: object) => Object.keys(scheme));
  return guards.some((name: string) => OF_HOSTED.includes(name)) ? hostedToken : node.apiSecret;
}
