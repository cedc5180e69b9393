import { chances } from './chance.ts';
import { ERRANDS, type Errand } from './errands.ts';

/** The next errand, and how long after the one before it comes. */
export interface Planned {
  readonly errand: Errand;
  readonly message: string;
  /** Milliseconds. */
  readonly pause: number;
}

/** Errands that follow each other quickly at first, so that there is something to see. */
const OPENING = ERRANDS.length;
const OPENING_PAUSE = 300;
const PAUSE = { least: 1_500, most: 5_000 };

/** The errands of a town by its seed, without end: each once at first, in an order of chance, then whatever chance draws. */
export function* errandCalendar(seed: string): Generator<Planned, never> {
  const draw = chances(`${seed}\0errands`);
  const first = [...ERRANDS];
  for (let number = 0; ; number++) {
    const from = first.length > 0 ? first : ERRANDS;
    const at = Math.floor(draw() * from.length);
    const errand = from[at]!;
    if (first.length > 0) first.splice(at, 1);
    const [least, most] = errand.size;
    const size = least + Math.floor(draw() * (most - least + 1));
    const pause = number < OPENING ? OPENING_PAUSE : PAUSE.least + draw() * (PAUSE.most - PAUSE.least);
    yield { errand, message: errand.text.replace('#', String(size)), pause: Math.round(pause) };
  }
}
