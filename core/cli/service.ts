import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { packageRoot } from '../platform/package-root.ts';
import { type CommandGroup, command, Failure, type NodeFlags, type Terminal } from './command.ts';
import { settingsOf } from './target.ts';

const NAME = 'agent-mesh';
const LABEL = 'dev.agent-mesh.node';
const KINDS = ['systemd', 'launchd'] as const;
type Kind = (typeof KINDS)[number];

const KIND = {
  kind: { takes: 'KIND', summary: 'of which system', choices: KINDS, default: 'that of this machine' },
} as const;

/** The node as a service of the user who runs it: started at login, again after a crash. */
export const serviceCommand: CommandGroup = {
  summary: 'Makes the node a service of this user, under systemd or launchd.',
  commands: {
    install: command({
      summary: 'Writes the unit of systemd, or the plist of launchd, and says how to start it.',
      about: `It runs mesh start with the configuration of --config, else ./plugins.json. It starts nothing by itself. For a server, deploy/ has a
unit of the system with a user of its own.`,
      flags: ['data-dir'],
      options: { ...KIND, print: { summary: 'print it and write nothing' } },
      examples: ['service install', 'service install --print', 'service install --config node.json --print'],
      async run({ options, flags }, _, terminal) {
        const kind = kindOf(options.kind);
        const text = textOf(kind, flags, terminal);
        const path = pathOf(kind, terminal);
        if (options.print) {
          terminal.out(options.json ? JSON.stringify({ ok: true, kind, path, text }) : text);
          return 0;
        }
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text, { mode: 0o644 });
        const start = kind === 'systemd' ? `systemctl --user enable --now ${NAME}` : `launchctl load -w ${path}`;
        terminal.out(
          options.json ? JSON.stringify({ ok: true, kind, path, start }) : `${path} is written; start it: ${start}`,
        );
        return 0;
      },
    }),
    uninstall: command({
      summary: 'Removes the unit or plist, and says how to stop what runs.',
      options: KIND,
      examples: ['service uninstall'],
      async run({ options }, _, terminal) {
        const kind = kindOf(options.kind);
        const path = pathOf(kind, terminal);
        if (!existsSync(path)) throw new Failure(`there is no ${path}; mesh service install writes it`, { path });
        rmSync(path);
        const stop = kind === 'systemd' ? `systemctl --user disable --now ${NAME}` : `launchctl remove ${LABEL}`;
        terminal.out(
          options.json ? JSON.stringify({ ok: true, kind, path, stop }) : `${path} is removed; stop it: ${stop}`,
        );
        return 0;
      },
    }),
  },
};

function kindOf(given: string | undefined): Kind {
  return (given as Kind | undefined) ?? (process.platform === 'darwin' ? 'launchd' : 'systemd');
}

function pathOf(kind: Kind, { env }: Terminal): string {
  const home = env['HOME'] ?? homedir();
  if (kind === 'launchd') return join(home, 'Library', 'LaunchAgents', `${LABEL}.plist`);
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'systemd', 'user', `${NAME}.service`);
}

/** Checks the configuration by the way: a service with a wrong one would only fail later. */
function textOf(kind: Kind, flags: NodeFlags, terminal: Terminal): string {
  const { dataDir } = settingsOf(flags, terminal);
  const file = resolve(flags.file ?? 'plugins.json');
  const config = flags.file !== undefined || existsSync(file) ? ['--config', file] : ['--data-dir', dataDir];
  const words = [process.execPath, join(packageRoot, 'bin', 'mesh.js'), 'start', ...config];
  return kind === 'systemd' ? unitOf(words, dirname(file)) : plistOf(words, dirname(file), dataDir);
}

function unitOf(words: readonly string[], folder: string): string {
  return `[Unit]
Description=agent-mesh
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
WorkingDirectory=${folder.replaceAll('%', '%%')}
ExecStart=${words.map(unitWord).join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
KillMode=mixed
TimeoutStopSec=60
Restart=on-failure
RestartSec=5
UMask=0077

[Install]
WantedBy=default.target
`;
}

/** A word as systemd reads it: $ and % begin something there. */
function unitWord(word: string): string {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w./=:@%$-]+$/.test(plain) ? plain : `"${plain.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function plistOf(words: readonly string[], folder: string, dataDir: string): string {
  const text = (value: string) => `<string>${escaped(value)}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>${text(LABEL)}
  <key>ProgramArguments</key>
  <array>${[...words, '--log-file', join(dataDir, 'mesh.log')].map((word) => `\n    ${text(word)}`).join('')}
  </array>
  <key>WorkingDirectory</key>${text(folder)}
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key><false/>
  </dict>
  <key>ExitTimeOut</key><integer>60</integer>
  <key>Umask</key><integer>63</integer>
</dict>
</plist>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
