import type { Problem } from '../../platform/problem.ts';
import type { Plugin, PluginFlag } from '../../plugin.ts';
import { FLAGS, variableOf } from '../config/flags.ts';
import { isVariableOfNode } from '../config/unknown-variables.ts';

const NAME = /^--[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const TYPES = ['text', 'integer', 'switch', 'off', 'list'];
/** The options of every command. */
const OF_COMMANDS = ['config', 'help', 'json', 'verbose', 'version'];

/** The faults of the flags that plugins declare; `taken` holds each known flag with the name of its owner. */
export function flagFaults(plugin: Plugin, taken: Map<string, string>): Problem[] {
  const { name: where } = plugin;
  return Object.entries(plugin.flags ?? {}).flatMap(([member, declared]) => {
    const fault = shapeFault(plugin, member, declared) ?? takenFault(declared.flag, where, taken);
    return fault === undefined ? [] : [{ where, ...fault }];
  });
}

/** The flags of core and commands, as a start for `flagFaults`. */
export function takenFlags(): Map<string, string> {
  return new Map([...FLAGS.map(({ name }) => name), ...OF_COMMANDS].map((name) => [`--${name}`, 'core']));
}

type Fault = Omit<Problem, 'where'>;

function shapeFault({ config }: Plugin, member: string, declared: PluginFlag): Fault | undefined {
  const { flag, type, summary } = (declared ?? {}) as Partial<PluginFlag>;
  if (typeof flag !== 'string' || !NAME.test(flag) || flag.startsWith('--no-')) {
    return { what: `its flag ${JSON.stringify(flag)} must be written --in-lower-case, and not begin with --no-` };
  }
  if (!TYPES.includes(String(type))) {
    const given = type === undefined ? 'no type' : `the type ${JSON.stringify(type)}`;
    return { what: `its flag ${flag} has ${given}`, hint: `types are ${TYPES.join(', ')}` };
  }
  if (typeof summary !== 'string' || summary === '') return { what: `its flag ${flag} has no summary` };
  const variable = variableOf({ name: flag.slice(2) });
  if (isVariableOfNode(variable))
    return { what: `the variable of its flag ${flag} is ${variable}, which Node.js reads` };
  const { properties = {} } = (config?.schema ?? {}) as { readonly properties?: object };
  if (member === 'enabled' || Object.hasOwn(properties, member)) return undefined;
  return { what: `its flag ${flag} sets ${member}, which its configuration does not name` };
}

function takenFault(flag: string, plugin: string, taken: Map<string, string>): Fault | undefined {
  const other = taken.get(flag);
  if (other === plugin)
    return { what: `it declares its flag ${flag} twice`, hint: 'its author gives one of them another name' };
  if (other === undefined) {
    taken.set(flag, plugin);
    return undefined;
  }
  const what = `its flag ${flag} is declared by ${other} already`;
  return { what, hint: other === 'core' ? 'its author gives it another name' : `leave ${plugin} or ${other} out` };
}
