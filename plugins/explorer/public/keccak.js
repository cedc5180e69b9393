// Keccak-256 as the mesh uses it (the padding of 2011, not that of SHA-3).

const RATE = 136;
const ROUNDS = 24;
const MASK = 2n ** 64n - 1n;

const { constants, turns, targets } = tables();

export function keccak256(message) {
  const padded = new Uint8Array((Math.floor(message.length / RATE) + 1) * RATE);
  padded.set(message);
  padded[message.length] ^= 1;
  padded[padded.length - 1] ^= 0x80;
  const state = new Array(25).fill(0n);
  const view = new DataView(padded.buffer);
  for (let block = 0; block < padded.length; block += RATE) {
    for (let lane = 0; lane < RATE / 8; lane += 1) state[lane] ^= view.getBigUint64(block + lane * 8, true);
    permute(state);
  }
  const hash = new DataView(new ArrayBuffer(32));
  for (let lane = 0; lane < 4; lane += 1) hash.setBigUint64(lane * 8, state[lane], true);
  return new Uint8Array(hash.buffer);
}

function permute(state) {
  for (let round = 0; round < ROUNDS; round += 1) {
    const sums = [0, 1, 2, 3, 4].map((x) => state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20]);
    for (let lane = 0; lane < 25; lane += 1) state[lane] ^= sums[(lane + 4) % 5] ^ turned(sums[(lane + 1) % 5], 1n);
    let moving = state[1];
    for (let step = 0; step < 24; step += 1) {
      const target = targets[step];
      const next = state[target];
      state[target] = turned(moving, turns[step]);
      moving = next;
    }
    for (let row = 0; row < 25; row += 5) {
      const lanes = state.slice(row, row + 5);
      for (let x = 0; x < 5; x += 1) state[row + x] = lanes[x] ^ (~lanes[(x + 1) % 5] & MASK & lanes[(x + 2) % 5]);
    }
    state[0] ^= constants[round];
  }
}

function turned(lane, by) {
  return ((lane << by) | (lane >> (64n - by))) & MASK;
}

function tables() {
  const turns = [];
  const targets = [];
  let [x, y] = [1, 0];
  for (let step = 0; step < 24; step += 1) {
    [x, y] = [y, (2 * x + 3 * y) % 5];
    targets.push(x + 5 * y);
    turns.push(BigInt((((step + 1) * (step + 2)) / 2) % 64));
  }
  let register = 1;
  const constants = Array.from({ length: ROUNDS }, () => {
    let constant = 0n;
    for (let bit = 0; bit < 7; bit += 1) {
      if (register & 1) constant |= 1n << BigInt(2 ** bit - 1);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    return constant;
  });
  return { constants, turns, targets };
}
