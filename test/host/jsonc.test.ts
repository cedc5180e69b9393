import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseJsonc } from '../../core/host/config/jsonc.ts';

describe('a configuration file', () => {
  it('may hold any JSON, however it is laid out', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 2, '\t'), (text, indent) => {
        const value = JSON.parse(text);
        assert.deepEqual(parseJsonc(JSON.stringify(value, undefined, indent)), value);
      }),
    );
    assert.ok(Object.hasOwn(parseJsonc('{"__proto__": 1}') as object, '__proto__'));
    assert.deepEqual(parseJsonc('\uFEFF{"a": -1.5e+2}'), { a: -150 });
  });

  it('may have comments, and a comma behind the last member', () => {
    const text = '// one\n{ "url": "http://a/*b*/", /* two\nlines */ "list": [1, 2, ], // three\n}\n// end';
    assert.deepEqual(parseJsonc(text), { url: 'http://a/*b*/', list: [1, 2] });
  });

  const MISTAKES: [text: string, said: string][] = [
    ['', 'line 1, column 1: the file ends too early'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: a comma or } is missing'],
    ['{\n  "a" 1\n}', 'line 2, column 7: a colon is missing behind "a"'],
    ["{ 'a': 1 }", 'line 1, column 3: a member must begin with its name in double quotes'],
    ['{ "a": yes }', 'line 1, column 8: a value cannot begin with y'],
    ['{ "a": "b\n" }', 'line 1, column 8: this string does not end on its line'],
    ['{ "a": "\\x" }', 'line 1, column 8: this string has an escape that JSON does not know'],
    ['{ "a": 1,\n  "a": 2 }', 'line 2, column 3: "a" is given twice'],
    ['{ "a": 1 }\n}', 'line 2, column 1: nothing may follow the value'],
    ['{ "a": [1 2] }', 'line 1, column 11: a comma or ] is missing'],
    ['{ "a": 1 /* never', 'line 1, column 10: this comment does not end'],
    ['{ "a": 01 }', 'line 1, column 9: a comma or } is missing'],
    ['[,]', 'line 1, column 2: a value cannot begin with ,'],
    ['['.repeat(101), 'line 1, column 101: more than 100 levels'],
  ];
  for (const [text, said] of MISTAKES) {
    it(`${JSON.stringify(text.slice(0, 30))} is refused with line and column`, () => {
      assert.throws(() => parseJsonc(text), new SyntaxError(said));
    });
  }
});
