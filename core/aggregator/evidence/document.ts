import { createHash } from 'node:crypto';
import type { SchemaTypes } from '../../../schemas/types.ts';
import type { StoredEvidence } from '../store/evidence.ts';
import { isFact, isHead } from './form.ts';

/** The first line of a page: whose score it is, and what it is counted by. */
export interface EvidenceHead {
  readonly type: 'head';
  readonly format: 1;
  readonly agent_id: string;
  readonly network: SchemaTypes['network'];
  /** Of the score's formula. */
  readonly version: number;
  /** Facts taken later do not count. */
  readonly as_of: number;
  readonly epoch: number;
  readonly anchors: readonly string[];
  readonly score: number;
  readonly rank: number;
  readonly complete: boolean;
  readonly reason?: string;
  /** The page begins behind this entry. */
  readonly after: number;
  /** `after` of the next page; null on the last one. */
  readonly next: number | null;
}

export interface EvidenceLine extends StoredEvidence {
  readonly type: 'fact';
  /** They follow each other without a gap. */
  readonly id: number;
}

/** A line of the file, and what is wrong with it as the end of "line 3 …". */
export type ReadLine =
  | { readonly value: EvidenceHead | EvidenceLine; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: string };

/** Each line ends with a digest of itself, which finds damage; whoever writes the file can write that too. */
export function lineOf(value: EvidenceHead | EvidenceLine): string {
  const text = JSON.stringify(value);
  return `${text.slice(0, -1)},"digest":"${digestOf(text)}"}\n`;
}

const END = /,"digest":"([0-9a-f]{32})"\}$/;

export function readLine(line: string): ReadLine {
  const end = END.exec(line);
  if (!end) return { fault: 'does not end with its digest' };
  const text = `${line.slice(0, end.index)}}`;
  if (digestOf(text) !== end[1]) return { fault: 'is damaged: its digest is another one' };
  try {
    const value = JSON.parse(text) as EvidenceHead | EvidenceLine;
    if (value.type !== 'head' && value.type !== 'fact') return { fault: 'is of an unknown type' };
    return isRead(value) ? { value } : { fault: `is a ${value.type} with members of another form` };
  } catch {
    return { fault: 'is no JSON' };
  }
}

/** A head of another format is refused for that, whatever its members are. */
function isRead(value: EvidenceHead | EvidenceLine): boolean {
  if (value.type === 'fact') return isFact({ ...value });
  return value.format !== 1 || isHead({ ...value });
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
