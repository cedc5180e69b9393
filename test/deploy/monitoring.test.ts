import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../core/platform/package-root.ts';
import { findProgram } from './programs.ts';

const folder = join(packageRoot, 'deploy');

/** Names of metrics in an expression of Prometheus, without the suffixes of a histogram. */
function metricsIn(expression: string): string[] {
  const names = expression.match(/\b(?:mesh|process)_[a-z_]+/g) ?? [];
  return names.map((name) => name.replace(/_(bucket|sum|count)$/, ''));
}

describe('what deploy/ watches', () => {
  let known = new Set<string>();
  let alerts: { alert: string; expr: string; annotations: Record<string, string> }[] = [];
  let expressions: string[] = [];
  before(async () => {
    // test/docs/operations.test.ts compares this table with what a node and an aggregator show.
    const table = await readFile(join(packageRoot, 'docs/operations.md'), 'utf8');
    known = new Set([...table.matchAll(/^\| `((?:mesh|process)_\w+)` \|/gm)].map(([, name]) => name!));
    const rules = parse(await readFile(join(folder, 'prometheus/alerts.yml'), 'utf8'));
    alerts = rules.groups[0].rules;
    const board = JSON.parse(await readFile(join(folder, 'grafana/agent-mesh.json'), 'utf8'));
    expressions = board.panels.flatMap(({ targets }: any) => targets.map(({ expr }: any) => expr));
  });

  it('is there: every metric of an alert and of the board', () => {
    const used = [...alerts.map(({ expr }) => expr), ...expressions].flatMap(metricsIn);
    assert.ok(used.length > 25);
    assert.deepEqual(
      used.filter((name) => !known.has(name)),
      [],
    );
  });

  it('tells what to do: every alert has a remedy', () => {
    for (const { alert, annotations } of alerts) assert.ok(annotations['remedy'], alert);
  });

  it('is understood by Prometheus', function () {
    const promtool = findProgram('promtool');
    if (promtool === undefined) return this.skip();
    const config = spawnSync(promtool, ['check', 'config', '--syntax-only', join(folder, 'prometheus/prometheus.yml')]);
    assert.equal(config.status, 0, String(config.stderr));
    const rules = spawnSync(promtool, ['check', 'rules', '--lint-fatal', join(folder, 'prometheus/alerts.yml')]);
    assert.equal(rules.status, 0, String(rules.stderr));
  });

  it('raises each alert that it should, and none while all is well', function () {
    const promtool = findProgram('promtool');
    if (promtool === undefined) return this.skip();
    const tests = join(packageRoot, 'test/deploy/alerts.promtool.yml');
    const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', tests], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  });
});
