import type { DocumentRef, IndexEntry } from './adapter.ts';
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
}

/** What becomes of a document. */
export type DocumentWrite = Put | { readonly kind: 'delete' };

export const DELETED: DocumentWrite = { kind: 'delete' };

/** All that one round knows of a document: one object, found by the document's names, and then passed on instead of them. */
export class Slot implements DocumentRef {
  readonly collection: string;
  readonly id: string;
  /** What the commit on its way makes of it, whether or not anybody here looks at that. */
  readonly beneath: DocumentWrite | undefined;
  isLeanedOn = false;
  /** Whether it is being read, or was. */
  isAsked = false;
  /** What was read of it, in `version` and `text`. */
  isSeen = false;
  version = 0;
  text: string | undefined;
  /** What the transactions so far have made of it. */
  written: DocumentWrite | undefined;
  /** What one transaction makes of it: the one that runs, or one that came to nothing. */
  draft: { readonly by: object; readonly write: DocumentWrite } | undefined;

  constructor(collection: string, id: string, beneath: DocumentWrite | undefined) {
    this.collection = collection;
    this.id = id;
    this.beneath = beneath;
  }
}

/** What a transaction sees of what was written before it. */
export function contentOf(write: DocumentWrite): any {
  if (write.kind === 'delete') return undefined;
  return write.text === undefined ? write.shared : JSON.parse(write.text);
}
