import type { CreateStorage, Runner } from './storage.ts';
export function queueContract(_create: CreateStorage, _runner: Runner): void {}
