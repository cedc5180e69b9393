import type { Plugin } from '../core/plugin.ts';

/** The plugins of this package by the word plugins.json uses; each is imported when it is asked for. */
export const plugins: Readonly<Record<string, () => Promise<Plugin>>> = {};
