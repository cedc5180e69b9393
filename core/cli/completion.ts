import { allFlags } from '../host/config/flags.ts';
import { COMMON_OPTIONS, type Command, type Commands, command, isGroup, UsageError } from './command.ts';
import { flagsOf } from './read-line.ts';

const SHELLS = ['bash', 'zsh', 'fish'];

/** A command by its words, and what may stand behind it. */
interface Line {
  readonly path: string;
  readonly summary: string;
  readonly next: readonly string[];
}

export function completionCommand(commands: () => Commands): Command {
  return command({
    summary: 'Prints what makes a shell complete the commands and options of mesh.',
    about: `For bash: eval "$(mesh completion bash)" in ~/.bashrc; zsh the same in ~/.zshrc after compinit; fish:
mesh completion fish > ~/.config/fish/completions/mesh.fish`,
    words: [{ name: 'SHELL', summary: 'bash, zsh or fish' }],
    options: {},
    examples: ['completion bash', 'completion zsh'],
    async run({ options, words: [shell = ''] }, _, terminal) {
      if (!SHELLS.includes(shell)) throw new UsageError(`SHELL is ${SHELLS.join(', ')}, not ${shell}`);
      const lines = linesOf(commands());
      const script = shell === 'fish' ? fish(lines) : shell === 'zsh' ? `#compdef mesh\n${zsh(lines)}` : bash(lines);
      terminal.out(options.json ? JSON.stringify({ shell, script }) : script);
      return 0;
    },
  });
}

function linesOf(commands: Commands): Line[] {
  const known = allFlags();
  const optionsOf = (one: Command) =>
    [...Object.keys({ ...one.options, ...COMMON_OPTIONS }), ...flagsOf(one, known).map(({ name }) => name)].map(
      (name) => `--${name}`,
    );
  const named = Object.entries(commands);
  const first = { path: '', summary: '', next: [...named.map(([name]) => name), 'help', '--version'] };
  const below = named.flatMap(([name, one]): Line[] => {
    if (!isGroup(one)) return [{ path: name, summary: one.summary, next: [...new Set(optionsOf(one))] }];
    const inner = Object.entries(one.commands);
    const own = one.otherwise ? optionsOf(one.otherwise) : ['--help'];
    return [
      { path: name, summary: one.summary, next: [...inner.map(([sub]) => sub), ...own] },
      ...inner.map(([sub, { summary }]) => ({ path: `${name} ${sub}`, summary, next: optionsOf(one.commands[sub]!) })),
    ];
  });
  return [first, ...below];
}

function cases(lines: readonly Line[]): string {
  return lines.map(({ path, next }) => `    '${path}') words='${next.join(' ')}' ;;`).join('\n');
}

function bash(lines: readonly Line[]): string {
  return `_mesh() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  case "$(_mesh_path "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" in
${cases(lines)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
${pathFunction(lines)}
complete -F _mesh mesh`;
}

function zsh(lines: readonly Line[]): string {
  return `_mesh() {
  local words_of
  case "$(_mesh_path "\${(@)words[2,CURRENT-1]}")" in
${cases(lines).replaceAll(" words='", " words_of='")}
  esac
  compadd -- \${=words_of} || _files
}
${pathFunction(lines)}
compdef _mesh mesh`;
}

/** The command of a line: its first word, with the second where there are commands below it. */
function pathFunction(lines: readonly Line[]): string {
  const groups = [...new Set(lines.filter(({ path }) => path.includes(' ')).map(({ path }) => path.split(' ')[0]))];
  return `_mesh_path() {
  case "$1" in
    ${groups.join('|')}) case "$2" in ''|-*) echo "$1" ;; *) echo "$1 $2" ;; esac ;;
    *) echo "$1" ;;
  esac
}`;
}

function fish(lines: readonly Line[]): string {
  return lines
    .flatMap(({ path, next }) => {
      const words = path.split(' ').filter(Boolean);
      const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
      const when = seen === '' ? '__fish_use_subcommand' : seen;
      const options = next.filter((word) => word.startsWith('--')).map((word) => `-l ${word.slice(2)}`);
      const commands = next.filter((word) => !word.startsWith('--')).map((word) => `-f -a ${word}`);
      return [...commands, ...options].map((rest) => `complete -c mesh -n '${when}' ${rest}`);
    })
    .join('\n');
}
