/** The log that every part of the system writes to. Never pass it secrets or payloads. */
export interface Log {
  debug(fields: object, text?: string): void;
  info(fields: object, text?: string): void;
  warn(fields: object, text?: string): void;
  error(fields: object, text?: string): void;
  /** A log whose every line carries these fields too. */
  child(fields: object): Log;
}

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};
