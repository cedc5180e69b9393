import { ACCOUNTS, BATCH_ENTRY, RING_SIZE } from './accounts.ts';
import { FIRST_ERROR, PROGRAM_ERRORS } from './errors.ts';
import { EVENT_MARK, EVENT_NAMES, EVENTS } from './events.ts';
import { FIELD_SIZES, type Fields, type Primitive, placed, sizeOf, snakeCase, type Table } from './fields.ts';
import { INSTRUCTION_NAMES, INSTRUCTIONS } from './instructions.ts';
import type { AccountKind, AccountRole } from './roles.ts';

/** The code is the last byte of a word, so that what follows is aligned; the mark of the self-call stands before it. */
const EVENT_HEAD: Fields = {
  reserved: ['reserved6', ''],
  mark: ['u8', ''],
  code: ['u8', ''],
  config: ['key', ''],
};

const INTEGERS: Partial<Record<Primitive, string>> = { u8: 'u8', u16: 'u16', u32: 'u32', u64: 'u64' };

/** Order gives the value of each `KIND_` constant. */
const KINDS: readonly AccountKind[] = [
  'wallet',
  'config',
  'escrow',
  'agent',
  'announcement',
  'accusation',
  'newConfig',
  'fresh',
  'vault',
  'token',
  'mint',
  'tokenProgram',
  'systemProgram',
  'instructionsSysvar',
  'program',
  'eventAuthority',
];

/** Text of `src/layout.h`: the declarations of this folder as C structs, codes and the table of account checks. */
export function renderHeader(): string {
  const most = Math.max(...INSTRUCTION_NAMES.map((name) => Object.keys(INSTRUCTIONS[name].accounts).length));
  return [
    '// Generated from layout/*.ts by `npm run program:build`. Do not edit.',
    '#pragma once',
    '#include "abi.h"',
    '',
    enumOf('error', 'ERROR', Object.keys(PROGRAM_ERRORS), FIRST_ERROR),
    enumOf('instruction', 'IX', INSTRUCTION_NAMES, 0),
    enumOf('event', 'EVENT', EVENT_NAMES, 0),
    enumOf('kind', 'KIND', KINDS, 0),
    `#define EVENT_MARK ${EVENT_MARK}`,
    `#define RING_SIZE ${RING_SIZE}`,
    `#define MAX_ACCOUNTS ${most}`,
    '',
    struct('batch_entry', BATCH_ENTRY, false),
    ...Object.entries(ACCOUNTS).flatMap(([name, { discriminator, fields }]) => [
      `#define ${constant(name)}_DISCRIMINATOR "${discriminator}"`,
      struct(snakeCase(name), fields, false),
    ]),
    ...INSTRUCTION_NAMES.flatMap((name) => {
      const { accounts, args } = INSTRUCTIONS[name];
      const indexes = Object.keys(accounts).map((account) => `${constant(name)}_${constant(account)}`);
      return [
        `enum { ${indexes.join(', ')} };`,
        ...(Object.keys(args).length ? [struct(`${snakeCase(name)}_args`, args, true)] : ['']),
      ];
    }),
    ...EVENT_NAMES.map((name) => struct(`${snakeCase(name)}_event`, { ...EVENT_HEAD, ...EVENTS[name] }, true)),
    accountTable(most),
    '',
  ].join('\n');
}

function constant(name: string): string {
  return snakeCase(name).toUpperCase();
}

function enumOf(name: string, prefix: string, members: readonly string[], first: number): string {
  const lines = members.map((member, i) => `  ${prefix}_${constant(member)} = ${first + i},`);
  return `enum ${name} {\n${lines.join('\n')}\n};\n`;
}

/** Accounts are aligned as C lays them out; arguments and events are packed, at an aligned address. */
function struct(name: string, fields: Fields, packed: boolean): string {
  const members = placed(fields);
  const misaligned = members.find((field) => !packed && field.offset % alignmentOf(field.type) !== 0);
  if (misaligned) throw new Error(`${name}.${misaligned.name} is not aligned`);
  const lines = members.map((field) => `  ${memberOf(field.name, field.type)};`);
  const attribute = packed ? ' __attribute__((packed, aligned(8)))' : '';
  const checks = packed
    ? [`#define ${constant(name)}_SIZE ${sizeOf(fields)}`]
    : [
        ...members.map(
          (field) =>
            `_Static_assert(__builtin_offsetof(struct ${name}, ${snakeCase(field.name)}) == ${field.offset}, "${name}");`,
        ),
        `_Static_assert(sizeof(struct ${name}) == ${sizeOf(fields)}, "${name}");`,
      ];
  return `struct ${name} {\n${lines.join('\n')}\n}${attribute};\n${checks.join('\n')}\n`;
}

function memberOf(name: string, type: Primitive | Table): string {
  if (typeof type !== 'string') return `struct batch_entry ${snakeCase(name)}[${type.count}]`;
  const integer = INTEGERS[type];
  return integer ? `${integer} ${snakeCase(name)}` : `u8 ${snakeCase(name)}[${FIELD_SIZES[type]}]`;
}

function alignmentOf(type: Primitive | Table): number {
  if (typeof type !== 'string') return 8;
  return INTEGERS[type] ? FIELD_SIZES[type] : 1;
}

/** One row per instruction: length of the fixed data, whether more may follow, and a flag byte per account. */
function accountTable(most: number): string {
  const rows = INSTRUCTION_NAMES.map((name) => {
    const { accounts, args, ...rest } = INSTRUCTIONS[name];
    const roles: AccountRole[] = Object.values(accounts);
    const flags = roles.map(
      (role) =>
        `KIND_${constant(role.kind)}${role.signer ? ' | ACCOUNT_SIGNS' : ''}${role.writable ? ' | ACCOUNT_WRITES' : ''}`,
    );
    const tail = 'tail' in rest ? 1 : 0;
    return `  [IX_${constant(name)}] = {${1 + sizeOf(args)}, ${tail}, ${roles.length}, {${flags.join(', ')}}},`;
  });
  return [
    '#define ACCOUNT_SIGNS 64',
    '#define ACCOUNT_WRITES 128',
    '#define ACCOUNT_KIND 63',
    `struct instruction_rule { u16 length; u8 tail; u8 count; u8 accounts[${most}]; };`,
    `static const struct instruction_rule INSTRUCTION_RULES[${INSTRUCTION_NAMES.length}] = {`,
    ...rows,
    '};',
  ].join('\n');
}
