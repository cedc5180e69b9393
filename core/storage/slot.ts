import type { IndexEntry, ReadRef } from './adapter.ts';
import type { Collection } from './declarations.ts';

/** A document on its way into the store. */
export interface Put {
  readonly kind: 'put';
  readonly of: Collection<any>;
  /** Undefined where the value is shared: that is checked, indexed and made text when the batch is made, once. */
  readonly text: string | undefined;
  readonly shared: unknown;
  /** Of a value that is not shared. */
  readonly entries: readonly IndexEntry[];
  readonly expires: number | undefined;
  /** Milliseconds from the commit to `expires`. */
  readonly lives: number | undefined;
}

/** The new content of a document, or its deletion. */
export type DocumentWrite = Put | { readonly kind: 'delete' };

export const DELETED: DocumentWrite = { kind: 'delete' };

/** All that one round knows of a document: one object, found by the document's names, and then passed on instead of them. */
export class Slot implements ReadRef {
  readonly collection: string;
  readonly id: string;
  /** The write of the commit on its way, whether or not a transaction of this round reads it. */
  readonly beneath: DocumentWrite | undefined;
  /** Whether all who ask for it do so in passing. */
  once: boolean;
  isLeanedOn = false;
  /** Whether it is being read, or was. */
  isAsked = false;
  /** Whether `version` and `text` hold the row that was read. */
  isSeen = false;
  version = 0;
  text: string | undefined;
  /** The write of the transactions so far. */
  written: DocumentWrite | undefined;
  /** The write of one transaction: of the one that runs, or of one that came to nothing. */
  draft: { readonly by: object; readonly write: DocumentWrite } | undefined;

  constructor(collection: string, id: string, beneath: DocumentWrite | undefined, once: boolean) {
    this.collection = collection;
    this.id = id;
    this.beneath = beneath;
    this.once = once;
  }
}

/** The value of a write, as a later transaction sees it. */
export function contentOf(write: DocumentWrite): any {
  if (write.kind === 'delete') return undefined;
  return write.text === undefined ? write.shared : JSON.parse(write.text);
}
