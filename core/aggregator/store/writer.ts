import { collection, expiring } from '../../storage/declarations.ts';
import { STORE_FORMAT } from './format.ts';

export interface StoredWriter {
  /** The process, by a name that it drew when it started. */
  readonly by: string;
  /** The agent id of that aggregator. */
  readonly agent_id: string;
  /** Host and port at which the others hand it what they have verified. */
  readonly address: string;
  /** The plugins that take part in recording there, in the order of their names. */
  readonly plugins: readonly string[];
  /** Proves that somebody may hand it something; whoever reads the store can change everything in it anyway. */
  readonly secret: string;
}

/** Milliseconds, of the store's time, for which a process that died without a word still counts as the writer. */
export const WRITER_MS = 8_000;
/**
 * Milliseconds for which the writer goes on without a renewal. It has stopped by so much before another one can begin that the store carries
 * out nothing more of what it sent until then.
 */
export const TERM_MS = WRITER_MS - 2_000;
/** Milliseconds between two looks at who the writer is. */
export const LOOK_MS = 1_000;

const NAME = 'writers';
const writers = expiring<StoredWriter>(NAME, { ms: WRITER_MS, schema: () => [] });
/** The writer of this store. Releases of other formats have other places, so that none hands items to another. */
export const writerRef = writers.ref(`format-${STORE_FORMAT}`);

/** The places of the writer in releases of formats 1 to 4. */
const FORMER_PLACES = ['who', 'format-2', 'format-3', 'format-4'];
export const formerWriterRefs = FORMER_PLACES.map((place) => writers.ref(place));
/** The same places for good: a store of another format keeps a writer there that has no end, unlike a lease. */
const fences = collection<StoredWriter>(NAME, { schema: () => [] });
export const fenceRefs = FORMER_PLACES.map((place) => fences.ref(place));
/**
 * Releases of format 1 do not start where a writer has other plugins than they have, and say which and whose: so they refuse with
 * a sentence that has this in it. A release of a later format that is there already never becomes the writer.
 */
export const FENCE: StoredWriter = {
  by: `format-${STORE_FORMAT}`,
  agent_id: `of a newer release (it moved this store to format ${STORE_FORMAT}: start that release here too, or name another storage.prefix)`,
  address: '127.0.0.1:1',
  plugins: [`store-format-${STORE_FORMAT}`],
  secret: '',
};

/** Whether a release that moved the store to another format put this there, and no process did. */
export function isFence({ by }: StoredWriter): boolean {
  return by.startsWith('format-');
}
