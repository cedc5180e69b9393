/** Builds the program, unless it was built from what is there; with its declarations when they are asked for. Ends the process when that fails. */
export function build(options?: { readonly declarations?: boolean }): void;
