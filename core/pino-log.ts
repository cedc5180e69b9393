import { type Logger, pino } from 'pino';
import type { Log } from './log.ts';

/** Fields never written, wherever a caller put them. */
const SECRETS = ['secret', 'token', 'apiKey', 'api_key', 'authorization', 'password', 'privateKey'];

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

/** A log of JSON lines on standard output, or where `write` says; `info` when there is no such level. */
export function pinoLog(wanted: string, write?: (line: string) => void): Log {
  const level = LEVELS.includes(wanted) ? wanted : 'info';
  const redact = { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' };
  const options = { level, redact, base: null };
  return wrap(write ? pino(options, { write }) : pino(options));
}

function wrap(logger: Logger): Log {
  return {
    debug: (fields, text) => logger.debug(fields, text),
    info: (fields, text) => logger.info(fields, text),
    warn: (fields, text) => logger.warn(fields, text),
    error: (fields, text) => logger.error(fields, text),
    child: (fields) => wrap(logger.child(fields)),
  };
}
