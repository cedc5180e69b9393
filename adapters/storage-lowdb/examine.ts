import { StorageError } from '../../core/storage/adapter.ts';
import { type Files, readFrames } from './files.ts';
import { mayBeTorn } from './frame.ts';
import { BlockCache } from './layers/block-cache.ts';
import { FileLayer } from './layers/layer-file.ts';
import { readSnapshot } from './snapshot.ts';

/** A process that uses the store removes files; so often it is looked at again. */
const TRIES = 3;

/**
 * Reads every byte of a store that counts and gives a sentence for each file that is damaged. It opens nothing for
 * writing, takes no lock, and may run while a process uses the store.
 */
export async function examine(files: Files): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    const before = await newest(files);
    const found = await look(files, before);
    if (found.length === 0 || tries === TRIES || before === (await newest(files))) return found;
  }
}

async function newest(files: Files): Promise<number> {
  return (await files.numbers('snapshot').catch(() => [])).at(-1) ?? 0;
}

async function look(files: Files, snapshot: number): Promise<string[]> {
  const found: string[] = [];
  const note = async (work: Promise<unknown>) => {
    await work.catch((error: unknown) => {
      if (error instanceof StorageError && error.fault === 'corrupt') found.push(error.message);
      else throw error;
    });
  };
  const journals = (await files.numbers('journal').catch(() => [])).filter((number) => number >= snapshot);
  for (const number of journals) await note(readJournal(files, number, number === journals.at(-1)));
  if (snapshot > 0 && journals[0] !== snapshot) {
    found.push(files.corrupt(files.journal(snapshot), 'is missing').message);
  }
  if (snapshot > 0) await note(readNamed(files, snapshot, note));
  return found;
}

async function readJournal(files: Files, number: number, isLast: boolean): Promise<void> {
  const path = files.journal(number);
  const file = await files.disk.open(path, 'r');
  try {
    const size = await file.size();
    let at = 0;
    for await (const frame of readFrames(file)) at = frame.end;
    if (at >= size) return;
    if (!isLast || !mayBeTorn(await file.read(size - at, at), 0)) {
      throw files.corrupt(path, `is damaged at byte ${at}`);
    }
  } finally {
    await file.close();
  }
}

/** The snapshot, and what it names. */
async function readNamed(files: Files, number: number, note: (work: Promise<unknown>) => Promise<void>): Promise<void> {
  const { layers, logs } = await readSnapshot(files, number);
  for (const layer of layers) await note(readLayer(files, layer));
  for (const { segments } of logs) for (const segment of segments) await note(readSegment(files, segment));
}

async function readLayer(files: Files, note: FileLayer['note']): Promise<void> {
  const layer = await FileLayer.open(files, note, new BlockCache(0));
  try {
    for (let block = 0; block < layer.blocks; block++) await layer.load(block);
  } finally {
    await layer.close();
  }
}

async function readSegment(files: Files, { number, bytes }: { readonly number: number; readonly bytes: number }) {
  const path = files.segment(number);
  const size = await files.disk.size(path);
  if (size === undefined) throw files.corrupt(path, 'is missing');
  const file = await files.disk.open(path, 'r');
  try {
    let at = 0;
    for await (const frame of readFrames(file)) {
      if (at >= bytes) break;
      at = frame.end;
    }
    if (at < bytes) throw files.corrupt(path, `is damaged at byte ${at}`);
  } finally {
    await file.close();
  }
}
