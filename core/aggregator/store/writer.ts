import { lease } from '../../storage/declarations.ts';

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

/** Milliseconds for which a process that died without a word still counts as the writer. */
export const WRITER_MS = 6_000;

const writers = lease<StoredWriter>('writers', { ms: WRITER_MS, schema: () => [] });
/** The writer of this store. */
export const writerRef = writers.ref('who');
