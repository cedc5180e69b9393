import type { Fields } from './fields.ts';
import type { AccountRole } from './roles.ts';

export interface InstructionDeclaration {
  readonly doc: string;
  readonly accounts: Readonly<Record<string, AccountRole>>;
  readonly args: Fields;
  /** Bytes after the fixed arguments. */
  readonly tail?: string;
}
