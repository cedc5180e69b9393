import type { Answer } from '../../support/mesh.ts';
import { Broken, type Name, type World } from '../world.ts';

/** What a caller of a node learns: its answer, or undefined when the connection broke. */
export async function tell(
  world: World,
  name: Name,
  path: string,
  body: object,
  { conversation, headers }: { conversation?: string; headers?: Record<string, string> } = {},
): Promise<Answer | undefined> {
  const { notes } = world;
  const said = `${name} ${path} ${summary(body)}`;
  notes.line(conversation, said);
  try {
    const answer = await world.call(name, 'POST', path, body, headers);
    const { status } = answer;
    notes.count(`${path.replace(/[0-9a-f]{32}/, ':id')} ${status}`);
    notes.line(
      conversation,
      `  ${status} ${status === 200 ? '' : `${answer.body?.code} ${answer.body?.detail}`} <- ${said}`,
    );
    if (status === 500) notes.violated('answers', `${said}: ${JSON.stringify(answer.body)}`, conversation);
    return answer;
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    notes.count(`${path.replace(/[0-9a-f]{32}/, ':id')} broken`);
    notes.line(conversation, `  the connection broke <- ${said}`);
    return undefined;
  }
}

export async function dealsOf(world: World, name: Name): Promise<any[]> {
  return (await ask(world, name, '/deals?limit=60'))?.deals ?? [];
}

export async function ask(world: World, name: Name, path: string): Promise<any> {
  try {
    const { status, body } = await world.call(name, 'GET', path);
    return status === 200 ? body : undefined;
  } catch (error) {
    if (error instanceof Broken) return undefined;
    throw error;
  }
}

function summary(body: object): string {
  return JSON.stringify(body, (key, value) => (key === 'conversation_id' ? undefined : value));
}
