import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadContracts } from '../../core/contracts/contracts.ts';
import type { Failure, Judge } from '../judge.ts';
import { pythonSource } from '../provide/python.ts';

const SUITE = 'json/tests/draft2020-12';

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

interface Used {
  readonly keywords: Set<string>;
  readonly formats: Set<string>;
}

/** Members of a schema whose own members are schemas by name. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
/** Members of a schema that are data. */
const DATA = new Set(['enum', 'const', 'default', 'examples', 'required', 'dependentRequired']);

/** Every keyword and format that a schema uses, at any depth. */
function collect(schema: unknown, used: Used): Used {
  if (Array.isArray(schema)) for (const item of schema) collect(item, used);
  else if (typeof schema === 'object' && schema !== null) {
    for (const [keyword, value] of Object.entries(schema)) {
      used.keywords.add(keyword);
      if (keyword === 'format') used.formats.add(value);
      if (MAPS.has(keyword)) collect(Object.values(value), used);
      else if (!DATA.has(keyword)) collect(value, used);
    }
  }
  return used;
}

/** The files of the suite that are about what our contracts use. Our contracts assert formats, so the files that do count. */
function filesFor(folder: string, { keywords, formats }: Used): readonly string[] {
  const required = readdirSync(folder).filter((file) => file !== 'format.json' && keywords.has(keywordOf(file)));
  const asserted = readdirSync(join(folder, 'optional/format')).filter((file) => formats.has(file.slice(0, -5)));
  return [...required, ...asserted.map((file) => join('optional/format', file))];
}

const STRICT = 'strict mode refuses the schema when it is loaded, at boot, and says why; no value is judged by it';
const STRICTLY_REFUSED = [
  'items.json: items and subitems: ',
  'oneOf.json: oneOf with required: ',
  'properties.json: properties, patternProperties, additionalProperties interaction: ',
  'ref.json: order of evaluation: $id and $anchor and $ref: ',
  'ref.json: ref to if: ',
  'ref.json: ref to then: ',
  'ref.json: ref to else: ',
  'required.json: required with escaped characters: ',
  'required.json: required properties whose names are Javascript object property names: ',
];
const OWN_IDS =
  'a contract is found by its file or its plugin; one whose parts have an $id of their own is refused at boot';
const WITH_OWN_IDS = [
  'ref.json: Recursive references between schemas: ',
  'ref.json: refs with relative uris and defs: ',
  'ref.json: relative refs with absolute uris and defs: ',
  'ref.json: simple URN base URI with $ref via the URN: ',
  'ref.json: URN base URI with URN and JSON pointer ref: ',
  'ref.json: URN base URI with URN and anchor ref: ',
  'ref.json: URN ref with nested pointer ref: ',
  'ref.json: ref with absolute-path-reference: ',
];
const INHERITED = 'no contract names a member that every JavaScript object inherits';
const NAMES = ['properties.json: properties whose names are Javascript object property names: none of the '];

const COUNTED = 'no clock of ours counts a leap second; a time that cannot be counted is refused by its field';
const LEAP_SECONDS = [
  'optional/format/date-time.json: validation of date-time strings: a valid date-time with a leap second, UTC',
  'optional/format/date-time.json: validation of date-time strings: a valid date-time with a leap second, with minus offset',
];

const because = (reason: string, names: readonly string[]) => names.map((name) => ({ name, reason }));

export const jsonSchema: Judge = {
  name: 'JSON Schema',
  source: 'JSON-Schema-Test-Suite, draft 2020-12, for the keywords our contracts use',
  exceptions: [
    ...because(STRICT, STRICTLY_REFUSED),
    ...because(OWN_IDS, WITH_OWN_IDS),
    ...because(INHERITED, NAMES),
    ...because(COUNTED, LEAP_SECONDS),
  ],
  async judge() {
    const folder = join(await pythonSource('jsonschema'), SUITE);
    const contracts = loadContracts();
    const used = collect([...contracts.documents.values()], { keywords: new Set(), formats: new Set() });
    const failures: Failure[] = [];
    let cases = 0;
    for (const file of filesFor(folder, used)) {
      for (const { description, schema, tests } of JSON.parse(readFileSync(join(folder, file), 'utf8')) as Group[]) {
        for (const test of tests) {
          cases += 1;
          const found = wrong(
            () => contracts.problems({ schema: schema as object }, test.data).length === 0,
            test.valid,
          );
          if (found !== undefined) failures.push({ name: `${file}: ${description}: ${test.description}`, found });
        }
      }
    }
    return { cases, failures };
  },
};

const keywordOf = (file: string) => (file === 'ref.json' ? '$ref' : file === 'defs.json' ? '$defs' : file.slice(0, -5));

function wrong(fits: () => boolean, expected: boolean): string | undefined {
  try {
    return fits() === expected ? undefined : `the value is ${expected ? 'refused' : 'taken'}`;
  } catch (error) {
    return `the schema cannot be used: ${(error as Error).message.slice(0, 120)}`;
  }
}
