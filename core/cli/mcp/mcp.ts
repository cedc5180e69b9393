import { messageOf } from '../../platform/problem.ts';
import { command, Failure } from '../command.ts';
import { NODE_FLAGS, NODE_OPTIONS, targetOf } from '../target.ts';
import { Bridge } from './bridge.ts';
import { lines } from './lines.ts';

export const mcp = command({
  summary: 'Lets a program speak the Model Context Protocol with the running node over standard input and output.',
  about: 'For hosts of language models that start their servers as programs. The node needs the plugin mcp.',
  options: NODE_OPTIONS,
  flags: NODE_FLAGS,
  examples: ['mcp', 'mcp --url http://127.0.0.1:9090 --data-dir ./data'],
  async run(call, _, terminal) {
    const { url, secret } = targetOf(call, terminal);
    await checkDoor(url);
    terminal.error(`speaking for the agent at ${url}`);
    const bridge = new Bridge({ url, secret, say: (message) => terminal.out(JSON.stringify(message)) });
    const end = new AbortController();
    void terminal.untilStopped().then(() => end.abort());
    if (terminal.input) for await (const line of lines(terminal.input, end.signal)) await bridge.take(line);
    await bridge.close();
    return 0;
  },
});

/** Says at the start, in words, why no call could work. */
async function checkDoor(url: string): Promise<void> {
  let status: number;
  try {
    const answer = await fetch(`${url}/mcp`, { signal: AbortSignal.timeout(5_000), redirect: 'manual' });
    await answer.body?.cancel();
    status = answer.status;
  } catch (error) {
    throw new Failure(
      `no node answers at ${url} (${messageOf(error)}); start it with mesh start, or name it with --url`,
    );
  }
  // Only calls are answered, by POST.
  if (status === 405) return;
  throw new Failure(
    `the node at ${url} has no plugin mcp; add "mcp": {} to its plugins in plugins.json, and start it again`,
  );
}
