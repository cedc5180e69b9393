/** `agentProcess` of `agent-process`. */
export function camel(words: string): string {
  return words.replace(/[-_]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `AgentProcess` of `agent-process`. */
export function pascal(words: string): string {
  return camel(`-${words}`);
}
