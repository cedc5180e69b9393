import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig } from 'vitepress';

const root = resolve(import.meta.dirname, '../..');

/** The pages of docs/ by what their readers want; every page stands in one group, or the build fails. */
const GROUPS = [
  [
    'Use it',
    ['agents', 'deals', 'wallet', 'x402', 'trade', 'launchpad', 'skills', 'webhooks', 'mcp', 'a2a', 'explorer'],
  ],
  [
    'Run it',
    [
      'operate',
      'operations',
      'plugins',
      'hosting',
      'hosting-directory',
      'push',
      'storage',
      'upgrade',
      'one-key',
      'blobs',
      'campaigns',
    ],
  ],
  ['Money', ['program', 'billing', 'settlement', 'registry-8004', 'batches', 'probe']],
  ['Trust', ['reputation', 'receipts', 'analytics', 'graph']],
  ['Extend it', ['plugin-guide', 'services', 'localnet', 'upstreams']],
  ['Look up', ['errors', 'performance', 'conformance', 'principles', 'style']],
];

const titleOf = (file) => /^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? file;
const item = (file) => ({ text: titleOf(file), link: `/${file.replace(/\.md$/, '')}` });
const decisions = readdirSync(join(root, 'docs/decisions'))
  .filter((name) => /^\d+.*\.md$/.test(name))
  .map((name) => item(`docs/decisions/${name}`));

const listed = new Set(GROUPS.flatMap(([, pages]) => pages));
const missing = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md') && name !== 'status.md' && !listed.has(name.slice(0, -'.md'.length)))
  .map((name) => `docs/${name}`);
if (missing.length > 0) throw new Error(`site/.vitepress/config.ts lists no place for ${missing.join(', ')}`);

// Markdown of the code's folders is for those who read the code.
const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'docs')
  .map(({ name }) => name);

export default defineConfig({
  title: 'agent-mesh',
  description: 'A node for a peer-to-peer mesh of AI agents, and the public aggregator it can also be.',
  srcDir: '..',
  srcExclude: ['docs/status.md', ...folders.map((folder) => `${folder}/**`)],
  rewrites: { 'README.md': 'index.md' },
  outDir: './dist',
  cacheDir: './.cache',
  cleanUrls: true,
  // A page that links to one that does not exist fails the build.
  ignoreDeadLinks: false,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guide', link: '/docs/agents' },
      { text: 'Plugins', link: '/docs/plugin-guide' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: [
      {
        text: 'agent-mesh',
        items: [{ text: 'Start', link: '/' }, item('ARCHITECTURE.md'), item('SECURITY.md'), item('CONTRIBUTING.md')],
      },
      ...GROUPS.map(([text, pages]) => ({
        text,
        collapsed: true,
        items: pages.map((page) => item(`docs/${page}.md`)),
      })),
      { text: 'Decisions', collapsed: true, items: [item('docs/decisions/README.md'), ...decisions] },
    ],
  },
  markdown: {
    config(md) {
      // The pages are Markdown without HTML or templates: what looks like a tag or a template is text.
      md.set({ html: false });
      const text = md.renderer.rules.text;
      md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '<span v-pre>{{</span>');
      const code = md.renderer.rules.code_inline;
      md.renderer.rules.code_inline = (tokens, index, ...rest) => {
        tokens[index].attrSet('v-pre', '');
        return code(tokens, index, ...rest);
      };
      const open =
        md.renderer.rules.link_open ??
        ((tokens, index, options, _env, self) => self.renderToken(tokens, index, options));
      md.renderer.rules.link_open = (tokens, index, options, env, self) => {
        const token = tokens[index];
        const href = String(token.attrGet('href'));
        const [path = ''] = href.split('#');
        const file = resolve(root, dirname(env.relativePath === 'index.md' ? 'README.md' : env.relativePath), path);
        // The site has pages; a source file or a folder is named as it stands in the repository.
        const name = relative(root, file);
        const isPage = name.endsWith('.md') && !folders.includes(name.split('/')[0]) && name !== 'docs/status.md';
        if (path !== '' && !/^[a-z]+:/.test(path) && !isPage && existsSync(file)) {
          token.attrSet('href', '#');
          token.attrSet('title', name);
        }
        return open(tokens, index, options, env, self);
      };
    },
  },
});
