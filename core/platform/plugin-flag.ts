/** A flag of `mesh start` that sets one member of a plugin's configuration. */
export interface PluginFlag {
  /** `--skill-workspace`: in lower case, and declared by nobody else. */
  readonly flag: `--${string}`;
  /** `off` is a switch that stores false; `list` may be repeated, or hold commas. */
  readonly type: 'text' | 'integer' | 'switch' | 'off' | 'list';
  /** A few words for the help. */
  readonly summary: string;
  /** A path: relative to the working directory, unlike paths in plugins.json. */
  readonly path?: true;
  /** Its value must not stand on a command line, which every user of the machine can read: whoever gives it there is warned. */
  readonly secret?: true;
}
