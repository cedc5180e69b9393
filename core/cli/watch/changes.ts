import { statSync } from 'node:fs';
import type { Clock } from '../../platform/clock.ts';

/** Milliseconds between two looks. A change counts once nothing more changes from one look to the next. */
const PAUSE = 150;

/** The time, size and inode of each file as one text; a missing file has an empty text. */
type Look = ReadonlyMap<string, string>;

/** Waits for changes of files by looking at them, which works however an editor writes. */
export class FileChanges {
  readonly #clock: Clock;
  #known: Look = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** From now on these files; what has changed of them since an earlier look still counts. */
  watch(paths: Iterable<string>): void {
    const now = lookAt(paths);
    this.#known = new Map([...now].map(([path, found]) => [path, this.#known.get(path) ?? found]));
  }

  /** The files that changed, once they rest; none when the signal is aborted. */
  async next(signal: AbortSignal): Promise<readonly string[]> {
    let last = this.#known;
    while (await this.#slept(signal)) {
      const now = lookAt(this.#known.keys());
      const rests = differences(last, now).length === 0;
      last = now;
      const changed = differences(this.#known, now);
      if (!rests || changed.length === 0) continue;
      this.#known = now;
      return changed;
    }
    return [];
  }

  #slept(signal: AbortSignal): Promise<boolean> {
    return this.#clock.sleep(PAUSE, signal).then(
      () => !signal.aborted,
      () => false,
    );
  }
}

function lookAt(paths: Iterable<string>): Look {
  return new Map([...paths].map((path) => [path, stateOf(path)]));
}

function stateOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.mtimeMs} ${found.size} ${found.ino}` : '';
}

function differences(before: Look, after: Look): string[] {
  return [...after].filter(([path, found]) => before.get(path) !== found).map(([path]) => path);
}
