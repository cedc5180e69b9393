import assert from 'node:assert/strict';
import { cleanName, foldName, MAX_NAME, nameTerms } from '../../core/aggregator/agents/name-terms.ts';

describe('names', () => {
  const cleaned: [string, string][] = [
    ['plain', 'plain'],
    ['  two   words ', 'two words'],
    ['tab\tand\nline', 'tab and line'],
    ['nul\0inside', 'nul inside'],
    ['turned \u202e around', 'turned around'],
    ['half \ud83d a pair', 'half \ufffd a pair'],
    ['😀 smile', '😀 smile'],
    ['__proto__', '__proto__'],
    ['\u200f', ''],
    ['x'.repeat(100), 'x'.repeat(MAX_NAME)],
    ['😀'.repeat(100), '😀'.repeat(MAX_NAME)],
  ];
  for (const [name, shown] of cleaned) {
    it(`shows ${JSON.stringify(name.slice(0, 20))} as ${JSON.stringify(shown.slice(0, 20))}`, () => {
      assert.equal(cleanName(name), shown);
    });
  }

  it('are compared without case, width and form', () => {
    assert.equal(foldName('ＡＤＡ Ⅳ'), 'ada iv');
    assert.equal(foldName('e\u0301'), foldName('é'));
  });

  it('are found from the start of each word', () => {
    assert.deepEqual(nameTerms('Countess Ada-Lovelace'), ['countess ada-lovelace', 'ada-lovelace', 'lovelace']);
    assert.deepEqual(nameTerms('(x) y'), ['(x) y', 'x) y', 'y']);
    assert.deepEqual(nameTerms(''), []);
    assert.equal(nameTerms('a '.repeat(40)).length, 16);
  });
});
