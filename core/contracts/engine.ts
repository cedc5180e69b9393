import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { mostKeyword } from './preparation.ts';

/** How values are read; `plain` only says whether a value fits, in half the time. */
export type Engine = 'plain' | 'exact' | 'input' | 'large' | 'query';

/** Whether values get the defaults of the schema. */
export function fills(engine: Engine): boolean {
  return engine === 'input' || engine === 'large' || engine === 'query';
}

/** A compiler without documents. With `source` it keeps the code of each contract that it compiles. */
export function compilerOf(reading: Engine, { source = false } = {}): Ajv2020 {
  const compiler = new Ajv2020({
    allErrors: reading !== 'plain' && reading !== 'large',
    verbose: reading !== 'plain',
    messages: reading !== 'plain',
    strict: true,
    // A third of the time to compile; where values are only looked at, the looks count for more.
    code: { optimize: reading === 'plain', source },
    // Compiling the schema of schemas takes a sixth of a second: only what plugins bring is held against it.
    validateSchema: false,
    strictTypes: false,
    strictTuples: false,
    useDefaults: fills(reading),
    coerceTypes: reading === 'query' ? 'array' : false,
  });
  addFormats.default(compiler);
  compiler.addFormat('date-time', TIME);
  compiler.addKeyword(mostKeyword(fills(reading)));
  return compiler;
}

/** The format as a compiler of ours knows it. */
export function formatNamed(name: string): unknown {
  return name === 'date-time' ? TIME : addFormats.default.get(name as 'date');
}

const isDateTime = addFormats.default.get('date-time') as { readonly validate: (text: string) => boolean };

/** RFC 3339 has leap seconds and offsets by hours alone, which no clock of ours can count. */
const TIME = {
  type: 'string',
  validate: (text: string) => isDateTime.validate(text) && !Number.isNaN(Date.parse(text)),
} as const;
