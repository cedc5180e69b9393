/** Of the tools, prompts and resources that hosts see. */
export const VERSION = '1.0.0';
