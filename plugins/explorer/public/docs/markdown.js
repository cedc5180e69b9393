// Draws the Markdown of the guides as elements: text nodes only, so that markup in it stays text.
import { h } from '../dom.js';
import { copyButton, table } from '../parts.js';

const INLINE =
  /(`+)(.+?)\1|\*\*(.+?)\*\*|\[((?:`[^`]*`|[^\]`])+)\]\(([^)\s]+)\)|(?<![\p{L}\d_])_([^_]+)_(?![\p{L}\d_])/gu;
const ITEM = /^(\s*)(?:[-*]|\d+\.)\s+(.*)$/;

/** The elements of a text, each drawn when it is taken. `linkTo(address)` gives where a link leads, or undefined for one that leads nowhere here. */
export function markdown(text, linkTo) {
  return new Drawing(text.replaceAll('\r\n', '\n').split('\n'), linkTo).blocks();
}

/** The anchor of a heading. */
export function slug(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\d\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

class Drawing {
  #lines;
  #at = 0;
  #level = 0;
  #heading = 'this page';
  #linkTo;

  constructor(lines, linkTo) {
    this.#lines = lines;
    this.#linkTo = linkTo;
  }

  *blocks() {
    while (this.#at < this.#lines.length) {
      const block = this.#block();
      if (block) yield block;
    }
  }

  #block() {
    const line = this.#lines[this.#at];
    if (!line.trim() || /^<!--.*-->$/.test(line)) return this.#skip();
    if (line.trimStart().startsWith('```')) return this.#code(line.trimStart().length);
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (heading) return this.#title(heading[1].length, heading[2]);
    if (line.startsWith('|')) return this.#table();
    if (ITEM.test(line)) return this.#list();
    if (line.startsWith('>')) return this.#quote();
    return this.#paragraph();
  }

  #skip() {
    this.#at += 1;
    return undefined;
  }

  #code() {
    const indent = this.#lines[this.#at].length - this.#lines[this.#at].trimStart().length;
    const from = this.#at + 1;
    let end = from;
    while (end < this.#lines.length && !this.#lines[end].trimStart().startsWith('```')) end += 1;
    this.#at = end + 1;
    return copied(
      this.#lines
        .slice(from, end)
        .map((one) => one.slice(Math.min(indent, one.length - one.trimStart().length)))
        .join('\n'),
    );
  }

  /** No heading leaves a level out, whatever the file has. */
  #title(asked, text) {
    this.#at += 1;
    const level = Math.min(asked, this.#level + 1);
    this.#level = level;
    this.#heading = text.replaceAll('`', '');
    return h(`h${level}`, { id: slug(text) }, this.inline(text));
  }

  #table() {
    const rows = this.#while((line) => line.startsWith('|')).map(cellsOf);
    const [heads, , ...body] = rows;
    return table({
      name: `Table of: ${this.#heading}`,
      rows: body,
      columns: heads.map((head, index) => ({
        head: head.replaceAll('`', '') || `Column ${index + 1}`,
        is: index === 0 ? 'name' : undefined,
        cell: (row) => h('div', {}, this.inline(row[index] ?? '')),
      })),
    });
  }

  #list() {
    const [, indent] = ITEM.exec(this.#lines[this.#at]);
    const isOrdered = /^\s*\d/.test(this.#lines[this.#at]);
    const items = [];
    while (this.#at < this.#lines.length) {
      const found = ITEM.exec(this.#lines[this.#at]);
      if (!found || found[1].length !== indent.length) break;
      this.#at += 1;
      const own = [found[2], ...this.#while((line) => line.startsWith(`${indent}  `) || !line.trim())];
      items.push(own);
      if (own.length > 1 && !own.at(-1).trim() && !ITEM.test(this.#lines[this.#at] ?? '')) break;
    }
    const inner = (own) => {
      const least = Math.min(
        ...own
          .slice(1)
          .filter((one) => one.trim())
          .map((one) => /^\s*/.exec(one)[0].length),
      );
      return new Drawing(
        [own[0], ...own.slice(1).map((one) => one.slice(Number.isFinite(least) ? least : 0))],
        this.#linkTo,
      );
    };
    return h(
      isOrdered ? 'ol' : 'ul',
      {},
      items.map((own) => h('li', {}, ...inner(own).blocks())),
    );
  }

  #quote() {
    const lines = this.#while((line) => line.startsWith('>')).map((line) => line.replace(/^>\s?/, ''));
    return h('blockquote', {}, ...new Drawing(lines, this.#linkTo).blocks());
  }

  #paragraph() {
    const lines = this.#while(
      (line, index) =>
        line.trim() &&
        (index === 0 || !(line.startsWith('|') || line.startsWith('```') || ITEM.test(line) || /^#{1,6}\s/.test(line))),
    );
    return h('p', {}, this.inline(lines.map((line) => line.trim()).join(' ')));
  }

  #while(fits) {
    const from = this.#at;
    while (this.#at < this.#lines.length && fits(this.#lines[this.#at], this.#at - from)) this.#at += 1;
    return this.#lines.slice(from, this.#at);
  }

  inline(text) {
    const parts = [];
    let end = 0;
    for (const found of text.matchAll(INLINE)) {
      parts.push(text.slice(end, found.index));
      end = found.index + found[0].length;
      parts.push(this.#piece(found));
    }
    return [...parts, text.slice(end)].filter((one) => one !== '');
  }

  #piece([, , code, bold, words, address, slanted]) {
    if (code !== undefined) return h('code', {}, code);
    if (bold !== undefined) return h('b', {}, this.inline(bold));
    if (slanted !== undefined) return h('i', {}, this.inline(slanted));
    const href = this.#linkTo(address);
    if (!href) return h('span', { title: `${address}, in the repository` }, this.inline(words));
    return h('a', { href, rel: /^https?:/.test(address) ? 'noreferrer' : undefined }, this.inline(words));
  }
}

function cellsOf(line) {
  return line
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Code, with a button that copies it. */
export function copied(text, what = 'lines') {
  return h('div', { class: 'copied' }, h('pre', {}, text), copyButton(text, what));
}
