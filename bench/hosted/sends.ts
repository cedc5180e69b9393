/**
 * `<agents> <messages>`: so many hosted agents of a node write to an agent of another one, each in its turn, 32 calls at a time with tokens of their own; in turns with as many
 * messages of the node's own agent. The first round warms up. Both nodes keep their stores on disk, and share this process.
 */
import { type Member, startMesh } from '../../test/support/mesh.ts';
import { sideBySide } from '../framework/side-by-side.ts';

export interface Sends {
  /** Per second. */
  readonly hosted: number;
  readonly own: number;
  readonly registered_ms: number;
}

const AT_ONCE = 32;
const ROUNDS = 3;
const MANY = 1_000_000;

const [agents, messages] = process.argv.slice(2).map(Number) as [number, number];
const api = { unlimited: ['127.0.0.1'] };
const rates = { senderRate: MANY, senderMessages: MANY, strangerInboxMiB: 1_024 };
const hosting = { hostAgents: true, registrationsPerMinute: 100_000, maxAgents: 10_000, maxPerAddress: 10_000 };
const mesh = await startMesh({
  nodes: ['inn', 'far'],
  storage: 'lowdb',
  settings: { api, mesh: { ...rates, allowPrivatePeers: true } },
  own: { inn: { plugins: { hosting } } },
});
try {
  await mesh.acquainted();
  const { inn, far } = mesh.nodes;
  const began = performance.now();
  const tokens: string[] = [];
  await sideBySide(
    agents,
    AT_ONCE,
    async () => void tokens.push((await call(inn, '/hosted/register', undefined, {})).token),
  );
  const registered_ms = performance.now() - began;
  const body = { msg_type: 'MESSAGE', recipient: far.id, payload: { text: 'Is the room next to mine free?' } };
  const took = { hosted: 0, own: 0 };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const own = await sideBySide(messages, AT_ONCE, () => call(inn, '/envelopes/send', inn.secret, body));
    const hosted = await sideBySide(messages, AT_ONCE, (at) =>
      call(inn, '/hosted/send', tokens[(round * messages + at) % agents]!, body),
    );
    if (round === 0) continue;
    took.own += own;
    took.hosted += hosted;
  }
  const perSecond = (ms: number) => (1_000 * ROUNDS * messages) / ms;
  const found: Sends = { hosted: perSecond(took.hosted), own: perSecond(took.own), registered_ms };
  process.stdout.write(JSON.stringify(found));
} finally {
  await mesh.stop();
}

async function call({ url }: Member, path: string, token: string | undefined, body: object): Promise<any> {
  const authorization = token !== undefined && { authorization: `Bearer ${token}` };
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as any;
  if (response.status === 200) return answer;
  throw new Error(`${path} was answered with ${response.status}: ${JSON.stringify(answer)}`);
}
