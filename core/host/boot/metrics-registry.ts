import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Labels, Metrics } from '../../platform/metrics.ts';
import { tellOfProcess } from './process-metrics.ts';

/** The counters of one node and their text for Prometheus. Every node has a registry of its own. */
export interface MetricsRegistry extends Metrics {
  readonly contentType: string;
  render(): Promise<string>;
  /** Says once what runs here. */
  build(labels: Labels): void;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): MetricsRegistry {
  const registry = new Registry();
  tellOfProcess(registry);
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    build(labels) {
      const help = 'Always 1; the labels say what runs.';
      const gauge = new Gauge({
        name: 'mesh_build_info',
        help,
        labelNames: Object.keys(labels),
        registers: [registry],
      });
      gauge.set({ ...labels }, 1);
    },
    counter(name, help, labels = []) {
      const known = registry.getSingleMetric(name) as Counter | undefined;
      const counter = known ?? new Counter({ name, help, labelNames: [...labels], registers: [registry] });
      return (values = {}, by = 1) => counter.inc({ ...values }, by);
    },
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) });
    },
    gauges(name, help, label, read) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        collect: () => {
          for (const [one, value] of Object.entries(read())) gauge.set({ [label]: one }, value);
        },
      });
    },
    histogram(name, help, labels = []) {
      const known = registry.getSingleMetric(name) as Histogram | undefined;
      const histogram =
        known ?? new Histogram({ name, help, labelNames: [...labels], buckets: BUCKETS, registers: [registry] });
      return (seconds, values = {}) => histogram.observe({ ...values }, seconds);
    },
  };
}
