/** No deal can have more entries, of earlier versions: 22 offers, 1 withdrawal, 5 other messages, 32 payments, 5 escrow events. */
export const MAX_HISTORY = 65;
