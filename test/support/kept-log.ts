import type { Log } from '../../core/platform/log.ts';

/** A log whose warnings a test reads. */
export class KeptLog implements Log {
  readonly warnings: { readonly fields: any; readonly text: string }[] = [];

  debug(): void {}
  info(): void {}
  error(): void {}

  warn(fields: object, text = ''): void {
    this.warnings.push({ fields, text });
  }

  child(): Log {
    return this;
  }
}
