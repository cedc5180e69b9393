import { definePlugin, PLUGIN_API, type Plugin } from '../plugin.ts';
import { activityFace } from './activity/face.ts';
import { agentsFace } from './agents/face.ts';
import { bountiesFace } from './bounties/face.ts';
import { ingestConfig, ingestFace } from './ingest/face.ts';
import { leavesConfig, leavesFace } from './leaves/face.ts';
import { ledgerFace } from './ledger/face.ts';
import { meshFace } from './mesh-face.ts';
import { networkFace } from './network/face.ts';
import { ownershipConfig, ownershipFace } from './ownership/face.ts';
import { reputationConfig, reputationFace } from './reputation/face.ts';
import { sleepFace } from './sleep/face.ts';

/** The aggregator profile: what the public index of a mesh is made of. The host boots it like any other plugins. */
export const aggregatorProfile: readonly Plugin[] = [
  definePlugin({ name: 'ingest', api: PLUGIN_API, config: ingestConfig, aggregator: ingestFace }),
  definePlugin({ name: 'agents', api: PLUGIN_API, aggregator: agentsFace }),
  definePlugin({ name: 'reputation', api: PLUGIN_API, config: reputationConfig, aggregator: reputationFace }),
  definePlugin({ name: 'activity', api: PLUGIN_API, aggregator: activityFace }),
  definePlugin({ name: 'bounties', api: PLUGIN_API, aggregator: bountiesFace }),
  definePlugin({ name: 'sleep', api: PLUGIN_API, aggregator: sleepFace }),
  definePlugin({ name: 'ledger', api: PLUGIN_API, aggregator: ledgerFace }),
  definePlugin({ name: 'leaves', api: PLUGIN_API, config: leavesConfig, aggregator: leavesFace }),
  definePlugin({ name: 'ownership', api: PLUGIN_API, config: ownershipConfig, aggregator: ownershipFace }),
  definePlugin({ name: 'mesh', api: PLUGIN_API, aggregator: meshFace }),
  definePlugin({ name: 'network', api: PLUGIN_API, aggregator: networkFace }),
];
