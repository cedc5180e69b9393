/** `agentProcess` of `agent-process`. */
export function camel(words: string): string {
  return words.replace(/[-_]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `AgentProcess` of `agent-process`; a letter behind a digit is large, as the compiler of types has it. */
export function pascal(words: string): string {
  return camel(`-${words}`).replace(/\d[a-z]/g, (pair) => pair.toUpperCase());
}
