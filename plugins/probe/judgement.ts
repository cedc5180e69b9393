import { createHash } from 'node:crypto';
import type { Random } from '../../core/services.ts';

/** How the answer that a job asks for follows from what was put into its message. */
export type AnswerKind = 'word' | 'sum' | 'sha256';
export const ANSWER_KINDS: readonly AnswerKind[] = ['word', 'sum', 'sha256'];

/** The text that stands for `{word}` in the message, and the one that the delivery has to hold. */
export interface Question {
  readonly asked: string;
  readonly expected: string;
}

const TEN_THOUSANDS = 90_000;

/** Another question each time: nobody has the answer ready. */
export function questionOf(kind: AnswerKind, random: Random): Question {
  if (kind === 'sum') {
    const [one, other] = [numberOf(random), numberOf(random)];
    return { asked: `${one} + ${other}`, expected: `${one + other}` };
  }
  const asked = Buffer.from(random.bytes(4)).toString('hex');
  return { asked, expected: kind === 'word' ? asked : createHash('sha256').update(asked).digest('hex') };
}

/**
 * Whether a delivery holds the answer as a word of its own. It depends on nothing but the two texts, which the signed PROPOSE
 * and DELIVER hold: whoever sees these can judge again.
 */
export function holds(content: string, expected: string): boolean {
  const plain = content.replace(/(?<=\d)[,.' _](?=\d{3}(?!\d))/g, '');
  return [content, plain].some((text) =>
    text
      .toLowerCase()
      .split(/[^0-9a-z]+/)
      .includes(expected),
  );
}

/** Of five digits. */
function numberOf(random: Random): number {
  return 10_000 + Math.floor(random.fraction() * TEN_THOUSANDS);
}
