/** One fenced block of a page. */
export interface Block {
  readonly language: string;
  /** What stands behind the language: a file's name, or `start` for a command that keeps running. */
  readonly label: string;
  readonly text: string;
  readonly line: number;
}

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  const lines = page.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const opened = /^```(\w+) ?(.*)$/.exec(lines[index]!);
    if (!opened) continue;
    const end = lines.indexOf('```', index);
    if (end === -1) throw new Error(`the block at line ${index + 1} has no end`);
    const text = `${lines.slice(index + 1, end).join('\n')}\n`;
    blocks.push({ language: opened[1]!, label: opened[2]!, text, line: index + 1 });
    index = end;
  }
  return blocks;
}

/** Whether a value is what the page shows; "..." stands for any text. */
export function matches(shown: unknown, value: unknown): boolean {
  if (shown === '...') return typeof value === 'string';
  if (typeof shown !== 'object' || shown === null || typeof value !== 'object' || value === null)
    return shown === value;
  const names = Object.keys(shown);
  return (
    names.length === Object.keys(value).length &&
    names.every((name) => matches((shown as Record<string, unknown>)[name], (value as Record<string, unknown>)[name]))
  );
}
