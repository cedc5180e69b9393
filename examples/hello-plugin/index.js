// @ts-check
import { collection, definePlugin, route, stream, Tail, typed } from 'agent-mesh/plugin';
import { Clock } from 'agent-mesh/services';

/**
 * Shapes are JSON Schemas; `typed` carries the type they describe into handlers.
 * @typedef {{ greeting: string, reportMinutes: number }} Config
 * @typedef {{ name: string, text: string, times: number, at: number }} Greeting
 */

/** @type {import('agent-mesh/plugin').TypedSchema<Config>} */
const config = typed({
  type: 'object',
  additionalProperties: false,
  properties: {
    greeting: { description: 'How people are greeted.', type: 'string', minLength: 1, default: 'Hello' },
    reportMinutes: { description: 'Minutes between two log lines.', type: 'integer', minimum: 1, default: 60 },
  },
});

/** @type {import('agent-mesh/plugin').TypedSchema<Greeting>} */
const greeting = typed({
  $id: 'hello-plugin/greeting',
  type: 'object',
  additionalProperties: false,
  required: ['name', 'text', 'times', 'at'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 64, examples: ['Ada'] },
    text: { type: 'string', examples: ['Hello, Ada!'] },
    times: { description: 'How often this name was greeted.', type: 'integer', minimum: 1, examples: [1] },
    at: { description: 'Unix milliseconds.', type: 'integer', examples: [1767268800000] },
  },
});

/**
 * The latest greeting of each name. A value that does not fit the schema is never stored.
 * @type {import('agent-mesh/plugin').Collection<Greeting>}
 */
const greetings = collection('greetings', { schema: 'hello-plugin/greeting' });

export default definePlugin({
  name: 'hello-plugin',
  api: '2.0',
  config,
  schemas: [greeting.schema],
  node: {
    uses: { clock: Clock },
    routes: {
      greet: route('POST /hello-plugin/:name', {
        auth: 'api',
        summary: 'Greets somebody.',
        params: { name: typed({ type: 'string', maxLength: 64, examples: ['Ada'] }) },
        reply: greeting,
      }),
      watch: stream('/ws/hello-plugin', {
        auth: 'api-read',
        summary: 'Every greeting, as it happens.',
        frame: greeting,
      }),
    },
    setup({ clock }, { config, space, log }) {
      /** @type {Set<Tail<Greeting>>} */
      const watchers = new Set();
      return {
        routes: {
          async greet({ params: { name } }) {
            const ref = greetings.ref(name);
            const { value } = await space.tx([ref], (tx) => {
              const times = (tx.get(ref)?.times ?? 0) + 1;
              const made = { name, text: `${config.greeting}, ${name}!`, times, at: clock.now() };
              tx.put(ref, made);
              return made;
            });
            for (const watcher of watchers) watcher.push(value);
            return value;
          },
          async *watch({ signal }) {
            const watcher = new Tail(signal);
            watchers.add(watcher);
            try {
              yield* watcher;
            } finally {
              watchers.delete(watcher);
            }
          },
        },
        jobs: [
          {
            name: 'report',
            every: config.reportMinutes * 60_000,
            run: async () => log.info({ names: await space.count(greetings) }, 'names greeted so far'),
          },
        ],
      };
    },
  },
});
