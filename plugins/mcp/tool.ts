import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { refusalOf } from './results.ts';

/** Hints of a tool to hosts that ask their user first. */
interface Hints {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

interface ToolSpec<A> {
  readonly title: string;
  readonly description: string;
  readonly hints: Hints;
  readonly properties: Readonly<Record<keyof A & string, object>>;
  readonly required?: readonly (keyof A & string)[];
  readonly run: (given: A, context: ServerContext) => Promise<CallToolResult | InputRequiredResult>;
}

export interface Tool {
  readonly name: string;
  /** Adds it to a server; each request has a server of its own. */
  readonly add: (server: McpServer, onFault: (error: unknown) => void) => void;
}

/** Declares a tool. Its schema is compiled once, whatever the number of requests. */
export function tool<A extends object>(name: string, { title, description, hints, run, ...spec }: ToolSpec<A>): Tool {
  const { properties, required = [] } = spec;
  const inputSchema = fromJsonSchema<A>({ type: 'object', additionalProperties: false, properties, required } as never);
  // The kit checks arguments and fills nothing in.
  const defaults = Object.fromEntries(
    Object.entries<{ readonly default?: unknown }>(properties).flatMap(([key, schema]) =>
      schema.default === undefined ? [] : [[key, schema.default]],
    ),
  );
  const annotations = { title, ...hints };
  const add: Tool['add'] = (server, onFault) => {
    server.registerTool(name, { title, description, inputSchema, annotations }, async (given, context) => {
      try {
        return await run({ ...defaults, ...(given as A) }, context);
      } catch (error) {
        try {
          return refusalOf(error);
        } catch (fault) {
          onFault(fault);
          throw new Error('Something went wrong inside the node; its log has the details.');
        }
      }
    });
  };
  return { name, add };
}
