import { type TypedSchema, typed } from '../../plugin.ts';

/** `core.agent-process` of plugins.json. */
export interface AgentProcessConfig {
  readonly allow: boolean;
  readonly graceSecs: number;
  readonly command?: readonly string[];
  readonly cwd?: string;
}

export const agentProcessConfig: TypedSchema<AgentProcessConfig> = typed<AgentProcessConfig>({
  type: 'object',
  additionalProperties: false,
  dependentRequired: { cwd: ['command'], command: ['cwd'] },
  properties: {
    allow: {
      description:
        'Let whoever has the API secret register a process of this user, end it and start the same program again. Off unless it is said.',
      type: 'boolean',
      default: false,
    },
    graceSecs: {
      description: 'Seconds the process has to end by itself before it is killed.',
      type: 'integer',
      minimum: 1,
      maximum: 120,
      default: 10,
    },
    command: {
      description:
        'The program by its absolute path, and its arguments, for systems that do not tell those of a process, such as macOS; elsewhere those of the registered process are used.',
      type: 'array',
      minItems: 1,
      maxItems: 256,
      items: { type: 'string', maxLength: 4_096 },
    },
    cwd: { description: 'The folder in which `command` runs.', type: 'string', minLength: 1, maxLength: 4_096 },
  },
});
