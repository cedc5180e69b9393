import { definePlugin } from '../../core/plugin.ts';
import { aggregatorFace } from './aggregator-face.ts';
import { config } from './config.ts';
import { nodeFace } from './node-face.ts';
import { stored } from './tasks/records.ts';

/** The Agent2Agent protocol, version 1.0. */
export const a2aPlugin = definePlugin({
  name: 'a2a',
  api: '2.1',
  summary: 'Agents that speak A2A give tasks to this agent, and its owner hires agents of the mesh by A2A.',
  permissions: [
    'deals:read',
    'deals:act',
    'money:spend',
    'messages:read',
    'messages:send',
    'agents:host',
    'cards:certify',
    'http:*',
  ],
  config,
  schemas: stored,
  node: nodeFace,
  aggregator: aggregatorFace,
});
