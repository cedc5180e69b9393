import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isMeshError, MeshError } from '../../core/plugin.ts';
import type { Contracts } from '../../core/services.ts';
import { codeOf, Folder } from './folder.ts';
import { manifestOf } from './manifest.ts';
import { isSkillName, MOST_BYTES, type SkillView } from './shapes.ts';

/** The folder of all skills within the workspace. */
const SKILLS = 'skills';
const FILE = 'SKILL.toml';
/** Skills of one workspace: a list reads all of them. */
const MOST_SKILLS = 256;
/** Of a file that a crash left half written. */
const DRAFT = /^\.SKILL\.toml\.[0-9a-f-]{36}$/;
/** Of a skill that a crash left half removed. */
const REMOVED = /^\.removed\.[a-z0-9_-]{1,64}$/;

/** A skill as its file shows it. */
export type Found = Omit<SkillView, 'url'> & { readonly sha256: string };

/** The skills of a workspace: `<workspace>/skills/<name>/SKILL.toml`. */
export class Workspace {
  readonly #path: string;
  readonly #contracts: Contracts;
  /** The content of files, by their marks. */
  readonly #known = new Map<string, { readonly mark: string; readonly found: Found }>();
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, contracts: Contracts) {
    this.#path = path;
    this.#contracts = contracts;
  }

  /** Opens a workspace, made when there is none, and clears away what a crash left. */
  static async open(path: string, contracts: Contracts): Promise<Workspace> {
    try {
      await mkdir(resolve(path), { recursive: true });
      const workspace = new Workspace(await realpath(path), contracts);
      await workspace.#tidy();
      return workspace;
    } catch (error) {
      throw new Error(`the skill workspace ${path} cannot be used: ${(error as Error).message}`, { cause: error });
    }
  }

  /** All skills by name, also those whose file is of no use. */
  list(): Promise<Found[]> {
    return this.#inSkills(async (skills) => {
      const names = (await skills.folders()).filter(isSkillName).sort().slice(0, MOST_SKILLS);
      const found: Found[] = [];
      for (const name of names) {
        const one = await this.#look(skills, name);
        if (one) found.push(one);
      }
      for (const name of this.#known.keys()) if (!names.includes(name)) this.#known.delete(name);
      return found;
    });
  }

  /** Puts a file that was checked in the place of the skill's. Tells whether the skill is new. */
  write(name: string, bytes: Uint8Array): Promise<boolean> {
    return this.#inTurn((skills) => this.#write(skills, name, bytes));
  }

  remove(name: string): Promise<void> {
    return this.#inTurn(async (skills) => {
      const folder = await skills.inner(name);
      if (!folder) throw new MeshError('not_found', `There is no skill ${name}.`);
      await folder.close();
      const aside = `.removed.${name}`;
      await skills.clear(aside);
      await skills.rename(name, aside);
      await skills.clear(aside);
    });
  }

  async #write(skills: Folder, name: string, bytes: Uint8Array): Promise<boolean> {
    const known = (await skills.folders()).filter(isSkillName);
    if (!known.includes(name) && known.length >= MOST_SKILLS)
      throw new MeshError('quota_exceeded', `The workspace has ${MOST_SKILLS} skills: remove one first.`);
    const { folder, isNew } = await skills.made(name);
    try {
      await folder.replace(FILE, bytes);
    } finally {
      await folder.close();
    }
    return isNew;
  }

  async #look(skills: Folder, name: string): Promise<Found | undefined> {
    const absent = { title: null, description: null, version: null, author: null, tags: [], tools: [] };
    try {
      const folder = await skills.inner(name);
      if (!folder) return undefined;
      const file = await folder.read(FILE, MOST_BYTES).finally(() => folder.close());
      if (!file) return undefined;
      const known = this.#known.get(name);
      if (known?.mark === file.mark) return known.found;
      const { bytes, mark, changed } = file;
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const facts = { name, bytes: bytes.length, sha256, updated_at: changed.toISOString() };
      const found: Found = { ...facts, ...this.#saidBy(bytes, absent) };
      this.#known.set(name, { mark, found });
      return found;
    } catch (error) {
      if (!isMeshError(error)) throw error;
      // Not opened, so nothing is known of it.
      const facts = { name, bytes: 0, sha256: '', updated_at: new Date(0).toISOString() };
      return { ...facts, ...absent, problem: error.message };
    }
  }

  #saidBy(bytes: Uint8Array, absent: Pick<Found, 'title' | 'description' | 'version' | 'author' | 'tags' | 'tools'>) {
    try {
      const { skill, tools = [] } = manifestOf(bytes, this.#contracts, '');
      const { name: title, description, version = null, author = null, tags = [] } = skill;
      return { title, description, version, author, tags, tools: tools.map(({ name }) => name), problem: null };
    } catch (error) {
      if (!isMeshError(error)) throw error;
      return { ...absent, problem: error.message };
    }
  }

  #tidy(): Promise<void> {
    return this.#inTurn(async (skills) => {
      for (const name of await skills.names()) {
        if (REMOVED.test(name)) await skills.clear(name);
        if (!isSkillName(name)) continue;
        const folder = await skills.inner(name).catch(() => undefined);
        if (!folder) continue;
        try {
          for (const file of await folder.names()) if (DRAFT.test(file)) await folder.unlink(file);
        } finally {
          await folder.close();
        }
      }
    });
  }

  /** One change after the other: two of the same skill must not meet in one folder. */
  #inTurn<T>(work: (skills: Folder) => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#inSkills(work));
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** The workspace is opened each time: it may have been moved or replaced meanwhile. */
  async #inSkills<T>(work: (skills: Folder) => Promise<T>): Promise<T> {
    let root: Folder | undefined;
    let skills: Folder | undefined;
    try {
      root = await Folder.at(this.#path);
      if (!root) throw new MeshError('skill_workspace_unavailable', `The skill workspace ${this.#path} is gone.`);
      skills = (await root.made(SKILLS)).folder;
      return await work(skills);
    } catch (error) {
      if (isMeshError(error) || codeOf(error) === '') throw error;
      const detail = `The skill workspace cannot be read or written now: ${codeOf(error)}.`;
      throw new MeshError('skill_workspace_unavailable', { detail, cause: error });
    } finally {
      await skills?.close();
      await root?.close();
    }
  }
}
