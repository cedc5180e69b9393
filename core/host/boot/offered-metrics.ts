import { kindOf } from '../../platform/kind-of.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { placeOf } from '../../platform/place-of.ts';
import { PerPlugin } from '../../provider.ts';

/** How the names begin that this package and its libraries give; a series of other labels under one of them would fail core's own. */
const TAKEN = /^(mesh|process|nodejs)_/;

/** A plugin that others wrote takes no name of the node's own, and a gauge of it that fails costs its own value alone. */
export function offeredMetrics(metrics: Metrics, log: Log): PerPlugin<Metrics> {
  return new PerPlugin(({ name, isForeign }) => (isForeign ? foreignMetrics(name, metrics, log) : metrics));
}

function foreignMetrics(plugin: string, metrics: Metrics, log: Log): Metrics {
  function free(name: string): string {
    if (!TAKEN.test(name)) return name;
    const own = `${plugin.replaceAll('-', '_')}_…`;
    throw new Error(`the name of the metric ${name} begins as those of the node; write ${own}`);
  }

  /** Gives `nothing` in the place of what could not be read; only the first failure is a line of the log. */
  function guarded<T>(name: string, nothing: T, read: () => T): () => T {
    let failed = false;
    return () => {
      try {
        const value = read();
        failed = false;
        return value;
      } catch (error) {
        if (!failed) log.error({ plugin, metric: name, err: error, at: placeOf(error) }, 'a gauge failed');
        failed = true;
        return nothing;
      }
    };
  }

  function number(name: string, value: unknown): number {
    if (typeof value === 'number') return value;
    throw new TypeError(`the gauge ${name} gave ${kindOf(value)} and no number`);
  }

  return {
    counter: (name, ...rest) => metrics.counter(free(name), ...rest),
    histogram: (name, ...rest) => metrics.histogram(free(name), ...rest),
    gauge: (name, help, read) =>
      metrics.gauge(
        free(name),
        help,
        guarded(name, Number.NaN, () => number(name, read())),
      ),
    gauges: (name, help, label, read) =>
      metrics.gauges(
        free(name),
        help,
        label,
        guarded(name, {}, () =>
          Object.fromEntries(Object.entries(read()).map(([one, value]) => [one, number(name, value)])),
        ),
      ),
  };
}
