/** Does the work for each place from 0, so many at a time; gives the milliseconds of all. */
export async function sideBySide(
  count: number,
  atOnce: number,
  work: (at: number) => Promise<unknown>,
): Promise<number> {
  const began = performance.now();
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < count; at = next++) await work(at);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return performance.now() - began;
}
