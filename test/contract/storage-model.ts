import type { CreateStorage, Runner } from './storage.ts';
export function modelContract(_create: CreateStorage, _runner: Runner): void {}
