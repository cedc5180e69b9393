import { join } from 'node:path';
import { Store } from '../../../internal-services.ts';
import { PerPlugin, provider } from '../../../provider.ts';
import { Blobs, Clock, Random } from '../../../services.ts';
import { openBlobDirectory } from '../../../storage/blob-directory.ts';
import { blobFolder, openedWhenUsed } from '../blobs-provider.ts';
import { PluginBlobs } from './blobs.ts';

/** No plugin has a space of this name: theirs has no underscore in it. */
const SPACE = 'plugin_blobs';
const MIB = 1_048_576;
/** The default of the schema, where settings did not go through it. */
const USUAL_MIB = 64;

/** Each plugin has a folder of its own, so that no hash leads to the files of another, or of the node. */
export const blobsOfPluginsProvider = provider(Blobs, {
  uses: { store: Store, clock: Clock, random: Random },
  open({ store, clock, random }, { settings, folder }) {
    const space = store.space(SPACE);
    const most = (settings.storage.blobsPerPluginMiB ?? USUAL_MIB) * MIB;
    const { dir, ...rest } = blobFolder(settings, folder);
    const made = new Map<string, PluginBlobs>();
    return new PerPlugin<Blobs>(({ name: plugin }) => {
      const known = made.get(plugin);
      if (known) return known;
      const own = { dir: join(dir, 'plugins', plugin), clock, random, ...rest };
      const blobs = new PluginBlobs({ plugin, most, space, files: openedWhenUsed(() => openBlobDirectory(own)) });
      made.set(plugin, blobs);
      return blobs;
    });
  },
});
