import { build } from 'esbuild';
import { packageRoot } from '../../../core/platform/package-root.ts';

export interface WebBundle {
  readonly text: string;
  /** Modules that the bundle leaves to the platform. */
  readonly imports: readonly string[];
}

/** An entry of this checkout, bundled and made small as the builders of pages do it. */
export async function bundleOf(entry: string, format: 'esm' | 'iife' = 'esm'): Promise<WebBundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: packageRoot,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format,
    globalName: 'agentMesh',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
    outfile: 'client.js',
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  return { text: outputFiles[0]!.text, imports };
}
