import { describeProblem } from '../platform/problem.ts';
import type { Face, Plugin } from '../plugin.ts';
import { type NetworkWatch, watchNetwork } from './network-watch.ts';
import type { Findings, PluginTrial } from './plugin-trial.ts';

/** Milliseconds that what was closed gets to be gone. */
const SETTLING = 2_000;

/** It starts, stops and starts again, and leaves no timer, socket, watcher or process behind. */
export async function startsAndStops(trial: PluginTrial): Promise<Findings> {
  const problems: string[] = [];
  async function live(): Promise<void> {
    const node = await trial.start();
    for (const problem of await node.stop()) problems.push(describeProblem(problem));
  }
  await live();
  const before = await settled();
  await live();
  const after = await settled((open) => surplus(open, before).length === 0);
  const left = surplus(after, before);
  if (left.length > 0) problems.push(`after its stop there is still open: ${left.join(', ')}; defer its closing`);
  return { problems: [...new Set(problems)] };
}

/** Its setup connects to nobody: other machines are for `ready` and jobs, when the node can already be reached. */
export async function waitsForReady(trial: PluginTrial): Promise<Findings> {
  let watch: NetworkWatch | undefined;
  const { plugin, profile, face } = trial;
  const watched = {
    ...plugin,
    [profile]: {
      ...face,
      async setup(...args: Parameters<typeof face.setup>) {
        watch = watchNetwork();
        return untilReady(await face.setup(...args), () => watch?.stop());
      },
    },
  } as Plugin;
  try {
    const node = await trial.start({}, watched);
    await node.stop();
  } catch (error) {
    if (!watch?.tried.length) throw error;
  } finally {
    watch?.stop();
  }
  return { problems: [...new Set(watch?.tried)].map((target) => `before ready it connects to ${target}`) };
}

function untilReady(face: Face, ready: () => void): Face {
  return new Proxy(face, {
    get(target, member) {
      const value = Reflect.get(target, member, target) as unknown;
      if (member !== 'ready') return typeof value === 'function' ? value.bind(target) : value;
      return () => {
        ready();
        return target.ready?.();
      };
    },
  });
}

/** Lists the handles that keep the process alive, once they are as wanted, or had time to become so. */
async function settled(wanted?: (open: string[]) => boolean): Promise<string[]> {
  const began = performance.now();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const open = process.getActiveResourcesInfo().filter((name) => !name.startsWith('FSReq'));
    if (wanted ? wanted(open) : performance.now() > began + 200) return open;
    if (performance.now() > began + SETTLING) return open;
  }
}

function surplus(open: readonly string[], before: readonly string[]): string[] {
  const rest = [...before];
  return open.filter((name) => {
    const at = rest.indexOf(name);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
}
