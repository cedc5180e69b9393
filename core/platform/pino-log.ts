import { type Logger, pino } from 'pino';
import type { Log } from './log.ts';
import { prettyLine } from './pretty-line.ts';

/** Fields never written, wherever a caller put them. */
const SECRETS = ['secret', 'token', 'apiKey', 'api_key', 'authorization', 'password', 'privateKey'];

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

export interface LogOptions {
  /** JSON lines unless given. */
  readonly format?: 'json' | 'pretty' | undefined;
  /** Standard output unless given. */
  readonly write?: ((line: string) => void) | undefined;
}

/** A log whose level can change while it is used, for all its children too. */
export interface AdjustableLog extends Log {
  /** `info` when there is no such level. */
  setLevel(wanted: string): void;
}

interface Threshold {
  at: number;
}

/** A log of lines on standard output, or where `write` says; `info` when there is no such level. */
export function pinoLog(wanted: string, { format = 'json', write }: LogOptions = {}): AdjustableLog {
  const redact = { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' };
  const serializers = { error: pino.stdSerializers.err };
  const options = { level: 'debug', redact, serializers, base: null };
  const out = write ?? ((line: string) => void process.stdout.write(line));
  const logger =
    format === 'pretty'
      ? pino(options, { write: (line: string) => out(prettyLine(line)) })
      : write
        ? pino(options, { write })
        : pino(options);
  const threshold = { at: rank(wanted) };
  return Object.assign(wrap(logger, threshold), {
    setLevel(level: string) {
      threshold.at = rank(level);
    },
  });
}

function rank(level: string): number {
  return LEVELS.includes(level) ? LEVELS.indexOf(level) : LEVELS.indexOf('info');
}

function wrap(logger: Logger, threshold: Threshold): Log {
  return {
    debug: (fields, text) => threshold.at <= 0 && logger.debug(fields, text),
    info: (fields, text) => threshold.at <= 1 && logger.info(fields, text),
    warn: (fields, text) => threshold.at <= 2 && logger.warn(fields, text),
    error: (fields, text) => threshold.at <= 3 && logger.error(fields, text),
    child: (fields) => wrap(logger.child(fields), threshold),
  };
}
