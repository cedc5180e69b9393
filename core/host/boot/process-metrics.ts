import { readdirSync, readFileSync } from 'node:fs';
import { Counter, Gauge, type Registry } from 'prom-client';

/** The cost of the process, by the usual names; read when it is asked for. */
export function tellOfProcess(registry: Registry): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number | undefined) => {
    const made: Gauge = new Gauge({
      ...{ name, help, registers },
      collect() {
        const value = read();
        if (value !== undefined) made.set(value);
      },
    });
  };
  const cpu: Counter = new Counter({
    ...{ name: 'process_cpu_seconds_total', help: 'Processor time in seconds, of user and system.', registers },
    collect() {
      const { user, system } = process.cpuUsage();
      cpu.reset();
      cpu.inc((user + system) / 1_000_000);
    },
  });
  gauge('process_start_time_seconds', 'When the process was started, in Unix seconds.', startedAt);
  gauge('process_resident_memory_bytes', 'Memory that the process holds.', () => process.memoryUsage.rss());
  gauge('process_heap_bytes', 'Memory that JavaScript uses.', () => process.memoryUsage().heapUsed);
  gauge('process_open_fds', 'Open files and sockets; only where /proc tells it.', openFiles);
  gauge('process_max_fds', 'Files and sockets that may be open; only where /proc tells it.', mostFiles);
}

const started = Date.now() / 1_000 - process.uptime();

function startedAt(): number {
  return started;
}

function openFiles(): number | undefined {
  try {
    // One of them is the folder that is being read.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}

function mostFiles(): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}
