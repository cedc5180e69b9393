import { createHash } from 'node:crypto';
import { collection, definePlugin, invalidField, type Limit, MeshError, route, typed } from '../../core/plugin.ts';
import { Contracts, Http } from '../../core/services.ts';
import { download } from './install.ts';
import { manifestOf } from './manifest.ts';
import * as shapes from './shapes.ts';
import { Workspace } from './workspace.ts';

const READS: Limit = { per: 'principal', rate: 600, window: 60 };
const CHANGES: Limit = { per: 'principal', rate: 60, window: 60 };
const INSTALLS: Limit = { per: 'principal', rate: 20, window: 60 };
/** Base64 of the largest file, broken into lines, with the rest of the body. */
const MOST_BODY = 196_608;
const WORKSPACE = ['skill_workspace_missing', 'skill_workspace_unavailable', 'conflict'] as const;
const WRITES = [...WORKSPACE, 'invalid_skill', 'payload_too_large', 'quota_exceeded'] as const;

const sources = collection<shapes.Source>('sources', { schema: 'skills/source' });

/** SKILL.toml files in a folder of this machine, which an agent reads to know what it can do. */
export const skillsPlugin = definePlugin({
  name: 'skills',
  api: '2.0',
  summary: 'Skills of the agent: lists, writes, installs and removes SKILL.toml files.',
  // A skill is installed from whichever public host the caller names.
  permissions: ['http:*'],
  config: typed<{ workspace?: string }>({
    type: 'object',
    properties: {
      workspace: {
        description: 'The folder of the skills, each in skills/<name>/SKILL.toml below it.',
        type: 'string',
        minLength: 1,
        maxLength: 4_096,
      },
    },
  }),
  flags: {
    workspace: { flag: '--skill-workspace', type: 'text', path: true, summary: 'folder of the skills of the agent' },
  },
  errors: {
    invalid_skill: [422, 'The file is no SKILL.toml that can be used.'],
    skill_workspace_missing: [503, 'The node was started without a skill workspace.'],
    skill_workspace_unavailable: [503, 'The skill workspace cannot be read or written now.'],
  },
  schemas: [
    shapes.source,
    ...[
      shapes.listReply,
      shapes.writeRequest,
      shapes.writeReply,
      shapes.installRequest,
      shapes.installReply,
      shapes.removeRequest,
      shapes.removeReply,
    ].map(({ schema }) => schema),
  ],
  node: {
    uses: { http: Http, contracts: Contracts },
    routes: {
      list_skills: route('GET /skill/list', {
        auth: 'api-read',
        limit: READS,
        feature: 'skills',
        summary: 'The skills in the workspace, by name.',
        reply: shapes.listReply,
        errors: WORKSPACE,
      }),
      write_skill: route('POST /skill/write', {
        auth: 'api',
        limit: CHANGES,
        feature: 'skills',
        summary: 'Writes the SKILL.toml of a skill, or puts it in the place of the one that is there.',
        body: shapes.writeRequest,
        maxBody: MOST_BODY,
        reply: shapes.writeReply,
        errors: WRITES,
      }),
      install_skill: route('POST /skill/install-url', {
        auth: 'api',
        limit: INSTALLS,
        feature: 'skills',
        summary: 'Installs a skill from an https URL; private hosts are refused.',
        body: shapes.installRequest,
        reply: shapes.installReply,
        errors: [...WRITES, 'upstream_failed', 'rate_limited'],
      }),
      remove_skill: route('POST /skill/remove', {
        auth: 'api',
        limit: CHANGES,
        feature: 'skills',
        summary: 'Removes a skill with all in its folder.',
        body: shapes.removeRequest,
        reply: shapes.removeReply,
        errors: [...WORKSPACE, 'not_found'],
      }),
    },
    async setup({ http, contracts }, { config, space, signal }) {
      const opened = config.workspace === undefined ? undefined : await Workspace.open(config.workspace, contracts);

      function workspace(): Workspace {
        if (opened) return opened;
        const remedy = 'Start it with --skill-workspace FOLDER, or with NODE_SKILL_WORKSPACE.';
        throw new MeshError('skill_workspace_missing', `The node was started without a skill workspace. ${remedy}`);
      }

      /** The file is checked as a whole before anything of the old one is touched. */
      async function keep(bytes: Uint8Array, wanted: string | undefined, pointer: string, url?: string) {
        if (bytes.length > shapes.MOST_BYTES)
          throw new MeshError('payload_too_large', `A SKILL.toml has at most ${shapes.MOST_BYTES} bytes.`);
        const { skill } = manifestOf(bytes, contracts, pointer);
        const name = wanted ?? skill.name;
        if (!shapes.isSkillName(name))
          throw invalidField('/name', `is required: "${skill.name}" in the file cannot be the name of a folder`);
        // First, since it is shown for the file with this hash alone.
        if (url === undefined) await space.del(sources.ref(name));
        else {
          const sha256 = createHash('sha256').update(bytes).digest('hex');
          await space.put(sources.ref(name), { url, sha256 });
        }
        const created = await workspace().write(name, bytes);
        return { ok: true, name, version: skill.version ?? null, bytes: bytes.length, created } as const;
      }

      return {
        routes: {
          async list_skills() {
            const found = await workspace().list();
            const from = await space.getMany(found.map(({ name }) => sources.ref(name)));
            const details = found.map(({ sha256, ...skill }, index) => {
              const source = from[index];
              return { ...skill, url: source?.sha256 === sha256 ? source.url : null };
            });
            return { skills: found.map(({ name }) => name), details };
          },
          async write_skill({ body: { name, content_b64, content, body_b64 } }) {
            workspace();
            const given = Object.entries({ content_b64, content, body_b64 }).find(([, text]) => text !== undefined);
            const [member, text] = given ?? ['content_b64'];
            if (text === undefined) throw invalidField(`/${member}`, 'is required');
            return keep(bytesOf(text, `/${member}`), name, `/${member}`);
          },
          async install_skill({ body: { url, name } }) {
            workspace();
            const bytes = await download(http, url, signal);
            return { ...(await keep(bytes, name, '/url', url)), url };
          },
          async remove_skill({ body: { name } }) {
            await workspace().remove(name);
            await space.del(sources.ref(name));
            return { ok: true, name } as const;
          },
        },
      };
    },
  },
});

function bytesOf(text: string, pointer: string): Buffer {
  const plain = text.replaceAll(/\s+/g, '');
  if (plain === '' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(plain)) throw invalidField(pointer, 'must be base64');
  return Buffer.from(plain, 'base64');
}
