import { visible } from './visible-text.ts';

/** The names of pino's levels, as wide as each other. */
const NAMES: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info ', 40: 'warn ', 50: 'error' };

/** A JSON line of the log for people: time, level, sentence, and the fields behind it. */
export function prettyLine(line: string): string {
  const { level, time, msg = '', err, error, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const at = new Date(Number(time)).toISOString().slice(11, 23);
  const rest = Object.entries(fields).map(([name, value]) => visible(`${name}=${told(value)}`));
  const fault = [err, error].flatMap((one) => (one === undefined ? [] : [faultOf(one)]));
  return `${[at, NAMES[Number(level)] ?? level, visible(String(msg)), ...rest].filter((part) => part !== '').join(' ')}${fault.join('')}\n`;
}

function told(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

/** The stack of an error on lines of its own. */
function faultOf(value: unknown): string {
  const { stack, message } = Object(value) as { stack?: unknown; message?: unknown };
  const text = typeof stack === 'string' ? stack : typeof message === 'string' ? message : JSON.stringify(value);
  return text
    .split('\n')
    .map((line) => `\n  ${visible(line)}`)
    .join('');
}
