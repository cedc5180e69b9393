/** A part of a guide: the words below one heading, without their Markdown. */
export interface Section {
  /** By its name in an address: `deals`, or `decision-030-no-framework`. */
  readonly guide: string;
  /** The title of the guide. */
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

/** The sections of a guide in their order. */
export function sectionsOf(guide: string, markdown: string): Section[] {
  const sections: Section[] = [];
  let title = guide;
  let heading: string | undefined;
  let lines: string[] = [];
  let isCode = false;
  const end = () => {
    const text = plain(lines.join('\n'));
    if (heading !== undefined && (text || sections.length === 0)) sections.push({ guide, title, heading, text });
    lines = [];
  };
  for (const line of markdown.split(/\r?\n/)) {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    const found = isCode ? undefined : /^(#{1,6})\s+(.*)$/.exec(line);
    if (!found) {
      lines.push(line);
      continue;
    }
    end();
    heading = found[2]!.replaceAll('`', '').trim();
    if (found[1] === '#') title = heading;
  }
  end();
  return sections;
}

/** Addresses of links, marks of tables and of code are no words. */
function plain(markdown: string): string {
  return markdown
    .replace(/<!--.*?-->/gs, ' ')
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, '$1')
    .replace(/^\s*\|?[\s:|-]+\|?\s*$/gm, ' ')
    .replace(/[|`*]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
