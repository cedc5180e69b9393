import { invalidField, MeshError } from '../../contracts/errors.ts';
import { RateLimiter } from '../../http/limits.ts';
import { type SharedFrame, Tail } from '../../plugin.ts';
import { type Asker, PerPlugin, provider } from '../../provider.ts';
import { Clock, Events, type NodeEvent, type NodeEventType } from '../../services.ts';
import { STEPS } from '../limits.ts';
import { Scores } from '../score-watch.ts';
import { type NodeEvents, Events as Own } from '../services/node-events.ts';

const MOST_BYTES = 4_096;
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
/** The permission that a plugin needs to follow a type whose events show messages or deals. */
const NEEDS: Partial<Record<NodeEventType, string>> = { envelope: 'messages:read', deal: 'deals:read' };

/** Lets plugins tell and follow the events of `/ws/events`. */
export const eventsProvider = provider(Events, {
  uses: { events: Own, scores: Scores, clock: Clock },
  open({ events, scores, clock }) {
    const limiter = new RateLimiter(STEPS, clock);
    return new PerPlugin<Events>((asker) => ({
      emit(event, data = {}) {
        if (!NAME.test(event)) throw invalidField('/event', 'must be kebab-case, at most 64 characters');
        const copy = copyOf(data);
        limiter.take(asker.name);
        events.emit('plugin', undefined, copy, `plugin/${asker.name}/${event}`);
      },
      follow(types, signal) {
        // The list is read once: it is the plugin's own, and could give other types when it is read again.
        const wanted = new Set(types);
        for (const type of wanted) require(asker, type);
        const rest = wanted.has('reputation') ? scores.watch() : () => {};
        return followed(events, wanted, signal, rest);
      },
    }));
  },
});

function require({ may }: Asker, type: NodeEventType): void {
  const needed = NEEDS[type];
  if (needed !== undefined && !may(needed))
    throw new MeshError('forbidden', `Events of the type ${type} need the permission ${needed}.`);
}

/** Listens at once, so that nothing is missed before the first event is asked for; leaves when either side has enough. */
function followed(
  events: NodeEvents,
  types: ReadonlySet<string>,
  signal: AbortSignal,
  rest: () => void,
): AsyncGenerator<NodeEvent, void> {
  const tail = new Tail<NodeEvent>(signal);
  const stop = events.watch(({ values }: SharedFrame<NodeEvent>) => {
    for (const event of values) if (types.has(event.type)) tail.push(event);
  });
  let left = false;
  const leave = () => {
    if (left) return;
    left = true;
    stop();
    rest();
  };
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  return (async function* () {
    try {
      yield* tail;
    } finally {
      leave();
    }
  })();
}

/** The data as JSON carries it, apart from what the plugin may do with its own. */
function copyOf(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = jsonOf(data);
  if (text === undefined || !text.startsWith('{')) throw invalidField('/data', 'must be an object that JSON can carry');
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_BYTES) throw invalidField('/data', `has ${bytes} bytes as JSON; at most ${MOST_BYTES} are told`);
  return JSON.parse(text) as Record<string, unknown>;
}

function jsonOf(data: unknown): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}
