import { dealScenes } from './deal-scenes.ts';
import { dutyScenes } from './duty-scenes.ts';
import { World } from './world.ts';

describe('value in one mesh of three nodes, over HTTP and on the ledger', function () {
  this.timeout(240_000);
  const world = new World();
  before(() => world.open());
  after(() => world.close());
  afterEach('no USDC is made or lost', () => world.conserved());

  dealScenes(world);
  dutyScenes(world);
});
