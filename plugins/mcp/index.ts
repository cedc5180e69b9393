import { definePlugin } from '../../core/plugin.ts';
import { aggregatorFace } from './aggregator-face.ts';
import { config } from './config.ts';
import { nodeFace } from './node-face.ts';
import { stored } from './spending.ts';

/** The Model Context Protocol at `/mcp`: a language model acts for the agent of a node, or searches an aggregator. */
export const mcpPlugin = definePlugin({
  name: 'mcp',
  api: '2.1',
  summary: 'Language models act for this agent over the Model Context Protocol.',
  permissions: ['deals:read', 'deals:act', 'money:spend', 'messages:read', 'messages:send', 'aggregators:*'],
  config,
  schemas: stored,
  node: nodeFace,
  aggregator: aggregatorFace,
});
