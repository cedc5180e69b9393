import type { AnySchemaObject, ErrorObject } from 'ajv';
import { didYouMean } from '../platform/nearest-name.ts';
import type { FieldProblem } from './errors.ts';

/**
 * Leaves out an `anyOf` with its null where another of its branches says more: nobody who gave something else wants to hear that null would
 * do.
 */
export function withoutNull(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const isNull = ({ keyword, params }: ErrorObject) => keyword === 'type' && params.type === 'null';
  const optional = new Set(errors.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => instancePath));
  const isNoise = (error: ErrorObject) =>
    optional.has(error.instancePath) && (error.keyword === 'anyOf' || isNull(error));
  const noise = errors.filter(isNoise);
  if (!noise.some(isNull)) return errors;
  const rest = errors.filter((error) => !isNoise(error));
  return rest.length > 0 ? rest : errors;
}

/** One problem in plain words, with a pointer to the field a person would look at. */
export function explain(error: ErrorObject): FieldProblem {
  const { instancePath: at, params, parentSchema } = error;
  switch (error.keyword) {
    case 'required':
      return { pointer: `${at}/${escaped(params.missingProperty)}`, message: 'is required' };
    case 'additionalProperties':
      return unknown(at, params.additionalProperty, parentSchema);
    case 'unevaluatedProperties':
      return unknown(at, params.unevaluatedProperty, parentSchema);
    case 'type':
      return { pointer: at, message: `must be ${[params.type].flat().map(withArticle).join(' or ')}` };
    case 'enum':
      return { pointer: at, message: oneOf(params.allowedValues.map(String), error.data) };
    case 'const':
      return { pointer: at, message: `must be ${JSON.stringify(params.allowedValue)}` };
    case 'pattern':
      return { pointer: at, message: `has the wrong form; expected: ${parentSchema?.description ?? params.pattern}` };
    case 'format':
      return { pointer: at, message: `must be a ${params.format}` };
    case 'minLength':
      return { pointer: at, message: `must have at least ${counted(params.limit, 'character')}` };
    case 'maxLength':
      return { pointer: at, message: `must have at most ${counted(params.limit, 'character')}` };
    case 'minItems':
      return { pointer: at, message: `must have at least ${counted(params.limit, 'item')}` };
    case 'maxItems':
      return { pointer: at, message: `must have at most ${counted(params.limit, 'item')}` };
    default:
      return { pointer: at, message: error.message ?? `fails ${error.keyword}` };
  }
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function oneOf(allowed: readonly string[], given: unknown): string {
  return `must be one of ${allowed.join(', ')}${typeof given === 'string' ? didYouMean(given, allowed) : ''}`;
}

function unknown(at: string, name: string, schema: AnySchemaObject | undefined): FieldProblem {
  const message = `is not a known field${didYouMean(name, Object.keys(schema?.properties ?? {}))}`;
  return { pointer: `${at}/${escaped(name)}`, message };
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
