/** The operations of A2A 1.0 by the names that JSON-RPC has for them. */
export const OPERATIONS = [
  ...(['SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask'] as const),
  ...(['CreateTaskPushNotificationConfig', 'GetTaskPushNotificationConfig'] as const),
  ...(['ListTaskPushNotificationConfigs', 'DeleteTaskPushNotificationConfig', 'GetExtendedAgentCard'] as const),
] as const;
export type Operation = (typeof OPERATIONS)[number];

export function isOperation(name: unknown): name is Operation {
  return (OPERATIONS as readonly unknown[]).includes(name);
}

/** An operation of HTTP+JSON, with the parameters that stand in its path. */
export interface Asked {
  readonly operation: Operation;
  readonly path: Readonly<Record<string, string>>;
}

type Pattern = readonly [line: RegExp, operation: Operation, names: readonly string[]];

const PATTERNS: readonly Pattern[] = [
  [/^POST message:send$/, 'SendMessage', []],
  [/^POST message:stream$/, 'SendStreamingMessage', []],
  [/^GET tasks$/, 'ListTasks', []],
  // The interface description has GET, the text of the specification POST.
  [/^(?:GET|POST) tasks\/([^/:]+):subscribe$/, 'SubscribeToTask', ['id']],
  [/^POST tasks\/([^/:]+):cancel$/, 'CancelTask', ['id']],
  [/^GET tasks\/([^/:]+)$/, 'GetTask', ['id']],
  [/^POST tasks\/([^/:]+)\/pushNotificationConfigs$/, 'CreateTaskPushNotificationConfig', ['taskId']],
  [/^GET tasks\/([^/:]+)\/pushNotificationConfigs$/, 'ListTaskPushNotificationConfigs', ['taskId']],
  [/^GET tasks\/([^/:]+)\/pushNotificationConfigs\/([^/]+)$/, 'GetTaskPushNotificationConfig', ['taskId', 'id']],
  [/^DELETE tasks\/([^/:]+)\/pushNotificationConfigs\/([^/]+)$/, 'DeleteTaskPushNotificationConfig', ['taskId', 'id']],
  [/^GET extendedAgentCard$/, 'GetExtendedAgentCard', []],
];

/** The operation of a method and the path behind the address of the agent; undefined when there is none. */
export function operationAt(method: string, path: string): Asked | undefined {
  const line = `${method} ${path}`;
  for (const [pattern, operation, names] of PATTERNS) {
    const found = pattern.exec(line);
    if (found) return { operation, path: Object.fromEntries(names.map((name, index) => [name, found[index + 1]!])) };
  }
  return undefined;
}
