interface Open {
  /** Keys seen so far; undefined in an array. */
  readonly keys: Set<string> | undefined;
  /** The key, or the index, whose value is being read. */
  at: string | number;
}

/**
 * The JSON pointer of the first member that an object of this valid JSON text has twice; undefined when there is none.
 * Parsers disagree about which of the two counts, so what one of them has checked may not be what another one does.
 */
export function duplicateKey(json: string): string | undefined {
  const open: Open[] = [];
  let expectsKey = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    const inner = open.at(-1);
    if (character === '"') {
      const end = endOfString(json, index);
      if (expectsKey && inner?.keys) {
        const key = JSON.parse(json.slice(index, end + 1)) as string;
        inner.at = key;
        if (inner.keys.has(key)) return pointerTo(open);
        inner.keys.add(key);
        expectsKey = false;
      }
      index = end;
    } else if (character === '{') {
      open.push({ keys: new Set(), at: '' });
      expectsKey = true;
    } else if (character === '[') {
      open.push({ keys: undefined, at: 0 });
      expectsKey = false;
    } else if (character === '}' || character === ']') open.pop();
    else if (character === ',' && inner) {
      expectsKey = inner.keys !== undefined;
      if (typeof inner.at === 'number') inner.at += 1;
    }
  }
  return undefined;
}

function endOfString(json: string, start: number): number {
  let index = start + 1;
  while (json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
  return index;
}

function pointerTo(open: readonly Open[]): string {
  return open.map(({ at }) => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
