import assert from 'node:assert/strict';
import { partOf } from '../../core/host/openapi/part.ts';
import { apiDocument, operationsOf } from '../spec/api-document.ts';
import { testNode } from '../support/node.ts';

describe('a part of the API document', () => {
  for (const profile of ['node', 'aggregator'] as const)
    it(`of the ${profile} profile has the operations of one tag as the whole has them, and each schema that they refer to`, () => {
      const whole: any = apiDocument(profile);
      const names: string[] = whole.tags.map(({ name }: { name: string }) => name);
      let operations = 0;
      for (const tag of names) {
        const part: any = partOf(whole, tag);
        assert.deepEqual([part.info, part.tags], [whole.info, whole.tags]);
        for (const { spec, path, method } of operationsOf(part)) {
          assert.ok(spec.tags.includes(tag), path);
          assert.equal(spec, whole.paths[path][method.toLowerCase()]);
          operations += 1;
        }
        for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
          assert.deepEqual(part.components.schemas[name!], whole.components.schemas[name!], `${tag}: ${name}`);
      }
      assert.equal(operations, operationsOf(whole).length);
      const sizes = names.map((tag) => JSON.stringify(partOf(whole, tag)).length);
      assert.ok(Math.max(...sizes) < JSON.stringify(whole).length / 2, `${Math.max(...sizes)}`);
    });

  it('is answered for `tag`, and has no operation where nothing has the tag', async () => {
    const node = await testNode({});
    try {
      const read = async (query: string): Promise<any> => (await fetch(`${node.url}/openapi.json${query}`)).json();
      const whole = await read('');
      for (let time = 0; time < 2; time += 1) {
        const part = await read('?tag=operations');
        assert.deepEqual(Object.keys(part.paths), [
          ...['/asyncapi.json', '/docs', '/health', '/metrics', '/openapi.json', '/ready', '/schemas/{file}'],
        ]);
        assert.deepEqual(part.tags, whole.tags);
      }
      const none = await read('?tag=nothing');
      assert.deepEqual([none.paths, none.tags], [{}, whole.tags]);
      assert.equal((await fetch(`${node.url}/openapi.json?tag=`)).status, 400);
      assert.equal((await fetch(`${node.url}/openapi.json?tag=${'x'.repeat(65)}`)).status, 400);
    } finally {
      await node.stop();
    }
  });
});
