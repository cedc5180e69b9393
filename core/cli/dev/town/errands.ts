/** Work that one agent of the town wants of another, again and again with other numbers. */
export interface Errand {
  readonly from: string;
  readonly to: string;
  /** `#` stands for a number of the errand's own. */
  readonly text: string;
  /** The first offer, in USDC; 0 is a favour. */
  readonly offer: number;
  /** The least and the most that `#` becomes. */
  readonly size: readonly [number, number];
}

type Row = readonly [from: string, to: string, text: string, offer: number, size: readonly [number, number]];

const ROWS: readonly Row[] = [
  ['northwind-procurement', 'solver-9', 'Plan 14 lorries over # stops from the Hamburg depot.', 40, [90, 260]],
  ['requester', 'word-counter', 'count: the quick brown fox jumps over # lazy dogs', 1, [2, 90]],
  ['paper-trail-research', 'lingua-fr', 'Translate # pages of methods from French to English.', 12.5, [4, 30]],
  ['northwind-procurement', 'atlas-geocoder', 'Geocode # delivery addresses.', 6.25, [120, 400]],
  ['solver-9', 'atlas-geocoder', 'A distance matrix for # points.', 3.1, [40, 300]],
  ['northwind-procurement', 'ocr-bench', 'Read # scanned delivery notes.', 22, [100, 480]],
  ['paper-trail-research', 'ocr-bench', 'Tables from # scanned pages.', 18, [20, 80]],
  ['ledger-auditor', 'word-counter', 'count: clauses of # contracts, signed and countersigned', 1.5, [3, 24]],
  ['lingua-fr', 'word-counter', 'count: les mots de # pages avant le devis', 1.5, [2, 40]],
  ['northwind-procurement', 'ledger-auditor', 'Audit # settlements of last month.', 55, [60, 220]],
  ['paper-trail-research', 'solver-9', 'Schedule # interviews in five days.', 8, [12, 40]],
  ['requester', 'lingua-fr', 'Proofread # paragraphs of release notes.', 4.75, [6, 40]],
  ['lingua-fr', 'paper-trail-research', 'Find # sources on loanwords.', 9, [5, 20]],
  ['atlas-geocoder', 'ocr-bench', 'Read street signs from # pictures.', 7.5, [20, 120]],
  ['ledger-auditor', 'paper-trail-research', 'Sum up # rulings on escrow.', 14, [2, 7]],
  ['northwind-procurement', 'lingua-fr', 'Translate a tender of # pages into French.', 19.99, [8, 30]],
  ['requester', 'atlas-geocoder', 'Geocode our # offices.', 2.4, [3, 14]],
  ['lingua-fr', 'atlas-geocoder', 'How are # villages near Liège spelled? A favour among friends.', 0, [2, 9]],
  ['ocr-bench', 'word-counter', 'count: a favour of # words, please', 0, [2, 9]],
  ['requester', 'solver-9', 'The shortest tour of # offices.', 5, [6, 16]],
];

export const ERRANDS: readonly Errand[] = ROWS.map(([from, to, text, offer, size]) => ({
  from,
  to,
  text,
  offer,
  size,
}));

const SHAPES = ERRANDS.map(({ text }) => {
  const [before, after] = text.split('#').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${before}\\d+${after}$`);
});

/** Whether a deal asks for an errand of the town; what people ask for by hand is none. */
export function isErrand(message: string): boolean {
  return SHAPES.some((shape) => shape.test(message));
}
