import { strict as assert } from 'node:assert';
import { Command } from 'ioredis';
import { EncodedCommand } from '../../adapters/storage-redis/encoded-command.ts';

describe('a command that is encoded at once', () => {
  it('is the bytes that ioredis would send', () => {
    const head = ['0123', '1', '{prefix}'];
    const operands = [
      '',
      'a',
      'é',
      '🦊',
      'NUL \0',
      'two\r\nlines',
      'half \ud800',
      'x'.repeat(9),
      'y'.repeat(10),
      'é'.repeat(70_000),
    ];
    const plain = new Command('evalsha', [...head, ...operands]).toWritable({});
    assert.deepEqual(new EncodedCommand('evalsha', head, operands).toWritable(), Buffer.from(plain));
    assert.deepEqual(
      new EncodedCommand('evalsha', head, []).toWritable(),
      Buffer.from(new Command('evalsha', head).toWritable({})),
    );
  });
});
