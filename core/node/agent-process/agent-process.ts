import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, MeshError } from '../../contracts/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { messageOf } from '../../platform/problem.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import type { AgentProcessConfig } from './config.ts';
import { factsOf, type Invocation, invocationOf, type ProcessFacts } from './process-facts.ts';
import { type Begun, beginProcess, isStill, stopProcess } from './process-life.ts';

type Registered = SchemaTypes['agent-process-record'];

const registered = collection<Registered>('agent-process', { schema: 'agent-process-record' }).ref('agent');

export interface AgentProcessOptions {
  readonly space: Space;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: AgentProcessConfig;
}

/** Variables that a program started by `command` gets; those of this process hold its secrets. */
const PASSED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'TMPDIR'];

/**
 * The background process of this node's agent: registered by its pid, ended and started again on request. Nothing of how
 * it is started comes from a request: with an interpreter, arguments and variables would be a program of the caller's.
 */
export class AgentProcess {
  readonly #options: AgentProcessOptions;
  /** How the registered process was started. Never stored: variables hold secrets. */
  #remembered: { readonly started: string; readonly invocation: Invocation } | undefined;
  #isBusy = false;

  constructor(options: AgentProcessOptions) {
    this.#options = options;
  }

  register(pid: number): Promise<{ pid: number; executable: string }> {
    return this.#alone(async () => {
      if (pid === process.pid || pid === process.ppid)
        throw invalidField('/pid', 'is this node or the process that started it');
      const facts = await factsOf(pid);
      if (!facts) throw invalidField('/pid', 'is no running process of this machine');
      const self = process.getuid?.();
      if (facts.users.some((user) => user !== self))
        throw new MeshError('forbidden', `The process ${pid} is another user’s.`);
      const invocation = await this.#invocation(facts);
      await this.#keep(facts, invocation);
      return { pid, executable: facts.executable };
    });
  }

  /** Ends the registered process and starts its program again with the same arguments. */
  reload(): Promise<SchemaTypes['agent-reloaded']> {
    return this.#alone(async () => {
      const { space, clock, log, config } = this.#options;
      const before = await space.get(registered);
      if (!before) throw new MeshError('conflict', 'No process is registered: POST /agent/register-pid first.');
      const invocation = await this.#latest(before);
      await access(before.executable, constants.X_OK).catch(() => {
        throw new MeshError('conflict', `There is no program ${before.executable} to start; nothing was ended.`);
      });
      const stopped = await stopProcess(before, config.graceSecs * 1_000, clock);
      if (stopped === undefined)
        throw new MeshError('conflict', `The process ${before.pid} does not end, not even when killed.`);
      const begun = await this.#begin(before.executable, invocation, stopped);
      if (!('facts' in begun)) {
        const how = begun.signal ?? `code ${begun.code ?? 'unknown'}`;
        throw new MeshError(
          'conflict',
          `The old process was stopped (${stopped}), and the new one ended at once with ${how}.`,
        );
      }
      await this.#keep(begun.facts, invocation);
      const { pid } = begun.facts;
      log.info({ old_pid: before.pid, pid, stopped }, 'the process of the agent was started again');
      return { ok: true, pid, old_pid: before.pid, stopped };
    });
  }

  async #begin(executable: string, invocation: Invocation, stopped: string): Promise<Begun> {
    try {
      return await beginProcess(executable, invocation, this.#options.clock);
    } catch (error) {
      const why = messageOf(error);
      throw new MeshError('conflict', `The old process was stopped (${stopped}), and the new one not started: ${why}.`);
    }
  }

  /** As the process tells while it runs; as remembered once it has ended. */
  async #latest(before: Registered): Promise<Invocation> {
    const facts = (await isStill(before)) ? await factsOf(before.pid) : undefined;
    if (facts?.started === before.started) return this.#invocation(facts);
    if (this.#remembered?.started === before.started) return this.#remembered.invocation;
    throw new MeshError(
      'conflict',
      `The process ${before.pid} has ended, and this node was restarted since it was registered: start it yourself and register it again.`,
    );
  }

  async #invocation({ pid, executable }: ProcessFacts): Promise<Invocation> {
    const { command, cwd } = this.#options.config;
    const told = await invocationOf(pid);
    if (told) return told;
    if (!command || cwd === undefined)
      throw new MeshError(
        'conflict',
        'This system does not tell how a process was started: set core.agent-process.command.',
      );
    if (command[0] !== executable)
      throw invalidField(
        '/pid',
        `is a process of ${executable}, and core.agent-process.command begins with ${command[0]}`,
      );
    const env = Object.fromEntries(PASSED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
    return { argv: command, cwd, env, outputs: [null, null] };
  }

  async #keep({ pid, started, executable }: ProcessFacts, invocation: Invocation): Promise<void> {
    await this.#options.space.put(registered, { pid, started, executable });
    this.#remembered = { started, invocation };
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#options.config.allow)
      throw new MeshError(
        'forbidden',
        'This node touches no processes unless core.agent-process.allow is true in plugins.json.',
      );
    if (process.getuid === undefined)
      throw new MeshError('forbidden', 'This node touches no processes on a system without user ids.');
    if (this.#isBusy) throw new MeshError('conflict', 'The process of the agent is being registered or reloaded.');
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }
}
