import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Contracts } from '../../contracts/contracts.ts';
import { type FieldProblem, MeshError } from '../../contracts/errors.ts';
import { didYouMean } from '../../platform/nearest-name.ts';
import { OneByOne } from '../../platform/one-by-one.ts';
import { messageOf, type Problem } from '../../platform/problem.ts';
import { CHANGEABLE } from '../config/changeable.ts';
import { type Configuration, type ConfigurationSource, readConfiguration } from '../config/configuration.ts';
import { type KeptSettings, writeKept } from '../config/kept-settings.ts';
import type { Reloaded } from './reload.ts';
import type { ShownSetting } from './shown-settings.ts';

export interface ChangedParts {
  readonly configuration: Configuration;
  readonly source: ConfigurationSource;
  readonly contracts: Contracts;
  /** Every setting, as it is in force and as it is kept. */
  readonly shown: (kept: KeptSettings) => readonly ShownSetting[];
  readonly reload: () => Promise<Reloaded>;
}

/** The settings that the operator changes over the API: kept in the data folder, taken over where a running node can. */
export class SettingChanges {
  readonly #parts: ChangedParts;
  readonly #turns = new OneByOne();
  #kept: KeptSettings;

  constructor(parts: ChangedParts) {
    this.#parts = parts;
    this.#kept = parts.configuration.kept;
  }

  settings(): readonly ShownSetting[] {
    return this.#parts.shown(this.#kept);
  }

  /** Changes all of them or none; null takes a change back. On disk when this resolves. */
  change(wanted: Readonly<Record<string, unknown>>): Promise<SchemaTypes['changed-settings']> {
    return this.#turns.run('change', () => this.#change(wanted));
  }

  async #change(wanted: Readonly<Record<string, unknown>>): Promise<SchemaTypes['changed-settings']> {
    refuseFixed(wanted, this.settings());
    const values = Object.fromEntries(
      Object.entries({ ...this.#kept.values, ...wanted }).filter(([, value]) => value !== null),
    );
    const kept = { file: this.#kept.file, values };
    const { source, contracts } = this.#parts;
    const { problems } = readConfiguration({ ...source, kept }, contracts);
    if (problems.length > 0) refuseUnfit(problems, Object.keys(wanted));
    await writeKept(kept).catch((error: unknown) => {
      throw new MeshError('storage_unavailable', { detail: `${kept.file} cannot be written: ${messageOf(error)}` });
    });
    this.#kept = kept;
    await this.#parts.reload();
    const names = Object.keys(wanted);
    const waiting = new Set(
      this.settings().flatMap(({ key, after_restart: next }) => (next === undefined ? [] : [key])),
    );
    return {
      changed: names.filter((name) => !waiting.has(name)),
      restart: [...waiting],
    };
  }
}

function refuseFixed(wanted: Readonly<Record<string, unknown>>, shown: readonly ShownSetting[]): void {
  const rows = new Map(shown.map((row) => [row.key, row]));
  const unknown = Object.keys(wanted).filter((key) => !rows.has(key));
  if (unknown.length > 0)
    throw new MeshError('invalid_request', {
      fields: unknown.map((key) => fieldOf(key, `is no setting of this node${didYouMean(key, CHANGEABLE.keys())}`)),
    });
  const fixed = Object.keys(wanted).flatMap((key) => {
    const { change, fixed: reason } = rows.get(key)!;
    return change === undefined ? [fieldOf(key, `cannot be changed here: ${reason}`)] : [];
  });
  if (fixed.length > 0)
    throw new MeshError('forbidden', {
      detail: fixed.map(({ pointer, message }) => `${pointer.slice('/settings/'.length)} ${message}.`).join(' '),
      fields: fixed,
    });
}

/** A fault that was there before is none of this change, but a node with it does not start again. */
function refuseUnfit(problems: readonly Problem[], names: readonly string[]): never {
  const fields = problems.flatMap(({ where, what }) => {
    const key = names.find((name) => where === name || where.startsWith(`${name}.`));
    return key === undefined ? [] : [fieldOf(key, what)];
  });
  if (fields.length > 0) throw new MeshError('invalid_request', { fields });
  const [{ where, what }] = problems as readonly [Problem];
  throw new MeshError('conflict', `The configuration has a fault, and nothing was changed: ${where}: ${what}.`);
}

function fieldOf(key: string, message: string): FieldProblem {
  return { pointer: `/settings/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, message };
}
